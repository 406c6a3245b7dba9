/** Ends the connections of a gateway one after another, so that its devices do not all connect elsewhere at one moment. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from './state.ts'
import type { GatewayParts } from './gateway-parts.ts'
import { endStreams } from './stop-gateway.ts'

const STEP_MS = 100

/** @returns once all connections were ended, also those that were opened meanwhile; a full time later at the latest */
export async function drainGateway(parts: GatewayParts, withinMs: number): Promise<void> {
  const untilMs = performance.now() + withinMs
  const ending: Promise<void>[] = []
  for (;;) {
    const open = [...parts.connections].filter(({ isStopping }) => !isStopping)
    const stepsLeft = Math.max(1, Math.ceil((untilMs - performance.now()) / STEP_MS))
    const next = open.slice(0, Math.ceil(open.length / stepsLeft))
    if (next.length > 0) ending.push(endStreams(parts, new Set(next.map(({ stream }: Connection) => stream))))
    if (performance.now() >= untilMs) break
    await sleep(STEP_MS)
  }
  await Promise.all(ending)
}
