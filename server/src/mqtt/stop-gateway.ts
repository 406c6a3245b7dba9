/** Stops the gateway gracefully: accepted messages are stored and acknowledged, then the connections are closed. */
import type { Duplex } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from './state.ts'
import { serverStopped } from './connection/disconnect-reason.ts'
import { endConnection } from './connection/end-connection.ts'
import type { GatewayParts } from './gateway-parts.ts'
import { publishAllWills } from './sessions/wills.ts'

/** The time within which messages must be stored and acknowledged. */
const STORING_MS = 10_000
const LOOK_AGAIN_MS = 20
const STEP_MS = 100

/**
 * The devices connect to other nodes from then on. Requests are served meanwhile, and may import messages.
 * @param spreadMs the time over which the ends of many connections are spread, so that their devices do not all connect
 *   elsewhere at one moment
 */
export async function handOverDevices(parts: GatewayParts, spreadMs: number): Promise<void> {
  parts.isStopping = true
  const untilMs = performance.now() + spreadMs + STORING_MS
  await endOneAfterAnother(parts, spreadMs)
  await unlessLate(untilMs, async () => {
    await publishAllWills(parts)
    // Connections that ended by themselves leave messages, too.
    await parts.ingest.settled()
  })
}

async function endOneAfterAnother(parts: GatewayParts, spreadMs: number): Promise<void> {
  const streams = [...parts.connections].map(({ stream }) => stream)
  const untilMs = performance.now() + spreadMs
  const ending: Promise<void>[] = []
  while (streams.length > 0) {
    const stepsLeft = Math.max(1, Math.ceil((untilMs - performance.now()) / STEP_MS))
    const next = streams.splice(0, Math.ceil(streams.length / stepsLeft))
    ending.push(endStreams(parts, new Set(next)))
    if (streams.length > 0) await sleep(STEP_MS)
  }
  await Promise.all(ending)
}

/** Must be called after `handOverDevices`. */
export async function stopGateway(parts: GatewayParts): Promise<void> {
  await parts.storedSessions[Symbol.asyncDispose]()
  await parts.presence[Symbol.asyncDispose]()
  await parts.ledger[Symbol.asyncDispose]()
}

/** Ends some connections, as when their listener stops before the others: what arrived on them is acknowledged first. */
export async function endStreams(parts: GatewayParts, streams: ReadonlySet<Duplex>): Promise<void> {
  const connections = [...parts.connections].filter(({ stream }) => streams.has(stream))
  for (const connection of connections) connection.isStopping = true
  await allAcknowledged(connections, performance.now() + STORING_MS)
  await endAll(parts, connections)
}

/** What was stored is acknowledged some turns of the event loop later, many of them on a busy machine. */
async function allAcknowledged(connections: Connection[], untilMs: number): Promise<void> {
  while (connections.some(isWaiting) && performance.now() < untilMs) await sleep(LOOK_AGAIN_MS)
  // The acknowledgements are written in the next turns.
  await nextTurn()
  await nextTurn()
}

const isWaiting = ({ phase, inbound }: Connection) => phase === 'open' && inbound.waitingMessages > 0

async function endAll(parts: GatewayParts, connections: Connection[]): Promise<void> {
  const closing = connections.map(async (connection) => {
    const { stream } = connection
    if (stream.closed) return
    // `once` of node:events would reject where a device resets its connection.
    const closed = new Promise<void>((resolve) => void stream.once('close', () => resolve()))
    endConnection(parts, connection, serverStopped)
    await closed
  })
  await Promise.all(closing)
}

/** Waits for the work, but not beyond the time. */
async function unlessLate(untilMs: number, work: () => Promise<void>): Promise<void> {
  const giveUp = new AbortController()
  const leftMs = Math.max(0, untilMs - performance.now())
  const timeUp = sleep(leftMs, undefined, { signal: giveUp.signal }).catch(() => {})
  await Promise.race([work(), timeUp])
  giveUp.abort()
}
