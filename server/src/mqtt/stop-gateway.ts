/** Stops the gateway gracefully: accepted messages are stored and acknowledged, then the connections are closed. */
import { once } from 'node:events'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Aedes } from 'aedes'
import type { Connection } from './connection.ts'
import type { GatewayParts } from './gateway-parts.ts'

/** The time within which messages must be stored. */
const STORING_MS = 10_000
/** The time within which a socket must send its last acknowledgements. */
const LAST_WORDS_MS = 1000

export async function stopGateway(parts: GatewayParts, broker: Aedes): Promise<void> {
  parts.isStopping = true
  await allStored(parts)
  // The acknowledgements are written in the next turns of the event loop.
  await nextTurn()
  await nextTurn()
  await Promise.all([...parts.connections].map(sayGoodbye))
  await new Promise<void>((resolve) => void broker.close(resolve))
  // Wills were published meanwhile.
  await allStored(parts)
  await parts.presence[Symbol.asyncDispose]()
}

async function allStored({ ingest }: GatewayParts) {
  const giveUp = new AbortController()
  const timeUp = sleep(STORING_MS, undefined, { signal: giveUp.signal }).catch(() => {})
  await Promise.race([ingest.settled(), timeUp])
  giveUp.abort()
}

async function sayGoodbye(connection: Connection) {
  const { socket } = connection
  if (socket.closed) return
  connection.ending ??= { reason: 'server_stopped', message: 'The server stopped.' }
  const closed = once(socket, 'close')
  socket.destroySoon()
  const timer = setTimeout(() => socket.destroy(), LAST_WORDS_MS)
  await closed
  clearTimeout(timer)
}
