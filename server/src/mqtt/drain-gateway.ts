/** Ends the connections of a gateway one after another, so that its devices do not all connect elsewhere at one moment. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayParts } from './gateway-parts.ts'
import { endStreams } from './stop-gateway.ts'

const STEP_MS = 100

/** No connection is accepted any more. @param withinMs the time over which many connections are spread */
export async function drainGateway(parts: GatewayParts, withinMs: number): Promise<void> {
  parts.isDraining = true
  const streams = [...parts.connections].map(({ stream }) => stream)
  const untilMs = performance.now() + withinMs
  const ending: Promise<void>[] = []
  while (streams.length > 0) {
    const stepsLeft = Math.max(1, Math.ceil((untilMs - performance.now()) / STEP_MS))
    const next = streams.splice(0, Math.ceil(streams.length / stepsLeft))
    ending.push(endStreams(parts, new Set(next)))
    await sleep(STEP_MS)
  }
  await Promise.all(ending)
}
