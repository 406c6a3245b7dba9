import { setTimeout as sleep } from 'node:timers/promises'
import type { SimulatedMethod } from './method.ts'

export interface MethodAnswer {
  status: number
  payload: unknown
}

/**
 * Answers a direct method after its delay. [docs/mqtt#direct-methods]
 * @param signal ends the delay
 * @returns undefined if the signal was aborted
 */
export async function answerMethod(
  methods: SimulatedMethod[],
  name: string,
  invocation: { payload?: unknown },
  signal: AbortSignal,
): Promise<MethodAnswer | undefined> {
  const { status = 200, delaySeconds = 0, ...own } = methods.find((method) => method.name === name) ?? {}
  if (delaySeconds > 0) await sleep(delaySeconds * 1000, undefined, { signal }).catch(() => {})
  if (signal.aborted) return undefined
  return { status, payload: 'payload' in own ? own.payload : (invocation.payload ?? null) }
}
