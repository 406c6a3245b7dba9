/** Stops the gateway gracefully: accepted messages are stored and acknowledged, then the connections are closed. */
import { once } from 'node:events'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { serverStopped } from './connection/disconnect-reason.ts'
import { endConnection } from './connection/end-connection.ts'
import type { GatewayParts } from './gateway-parts.ts'
import { publishAllWills } from './sessions/wills.ts'

/** The time within which messages must be stored. */
const STORING_MS = 10_000

export async function stopGateway(parts: GatewayParts): Promise<void> {
  parts.isStopping = true
  await allStored(parts)
  // The acknowledgements are written in the next turns of the event loop.
  await nextTurn()
  await nextTurn()
  const closing = [...parts.connections].map(async (connection) => {
    const closed = once(connection.stream, 'close')
    endConnection(parts, connection, serverStopped)
    await closed
  })
  await Promise.all(closing)
  publishAllWills(parts)
  // Wills were published meanwhile.
  await allStored(parts)
  await parts.storedSessions[Symbol.asyncDispose]()
  await parts.presence[Symbol.asyncDispose]()
  await parts.ledger[Symbol.asyncDispose]()
}

async function allStored({ ingest }: GatewayParts) {
  const giveUp = new AbortController()
  const timeUp = sleep(STORING_MS, undefined, { signal: giveUp.signal }).catch(() => {})
  await Promise.race([ingest.settled(), timeUp])
  giveUp.abort()
}
