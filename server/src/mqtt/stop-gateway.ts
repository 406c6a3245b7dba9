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

export async function stopGateway(parts: GatewayParts): Promise<void> {
  parts.isStopping = true
  const untilMs = performance.now() + STORING_MS
  await allStored(parts)
  await allAcknowledged([...parts.connections], untilMs)
  await endAll(parts, [...parts.connections])
  await publishAllWills(parts)
  // Wills were published meanwhile.
  await allStored(parts)
  await parts.storedSessions[Symbol.asyncDispose]()
  await parts.presence[Symbol.asyncDispose]()
  await parts.ledger[Symbol.asyncDispose]()
}

/** Ends the connections of a listener that stops before the others: what arrived on them is acknowledged first. */
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

async function allStored({ ingest }: GatewayParts) {
  const giveUp = new AbortController()
  const timeUp = sleep(STORING_MS, undefined, { signal: giveUp.signal }).catch(() => {})
  await Promise.race([ingest.settled(), timeUp])
  giveUp.abort()
}
