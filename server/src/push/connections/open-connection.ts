/** Connections come, break, and come back to what they have missed. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { newId } from '../../lib/ids.ts'
import { endConnection, GOING_AWAY, REFUSED, sendControl } from './connection.ts'
import { hasExpired, type Negotiated } from './credentials.ts'
import { receive } from './receive.ts'
import type { Connection, Push } from '../state.ts'
import { RELIABLE, type Protocol } from './protocol.ts'

/** The client closed it in good order, and does not mean to come back. */
const FINISHED = new Set([1000, 1001, 1005])

/** A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** A WebSocket, and the stream below it. */
interface Transport {
  socket: WebSocket
  stream: Duplex
}

export function openConnection(
  push: Push,
  { negotiatedId, ...credentials }: Negotiated,
  { protocol, ...transport }: Transport & { protocol: Protocol },
): Connection {
  const connection: Connection = {
    id: newId(),
    credentials,
    negotiatedId,
    protocol,
    socket: undefined,
    stream: undefined,
    isCorked: false,
    isAlive: true,
    isEnded: false,
    reconnectionToken: randomBytes(32).toString('base64url'),
    sequenceId: 0,
    unacked: [],
    unackedBytes: 0,
    recoveryTimer: undefined,
    expiryTimer: undefined,
    subscriptions: new Set(),
    assetCount: 0,
  }
  const ofUser = push.connectionsByUser.get(credentials.userId)
  // Broken, and opened anew with the same token: nobody will come back to the old one.
  for (const own of ofUser ?? [])
    if (own.negotiatedId === negotiatedId) endConnection(push, own, GOING_AWAY, 'Opened anew.')
  push.connections.set(connection.id, connection)
  const present = push.connectionsByUser.get(credentials.userId)
  if (present) present.add(connection)
  else push.connectionsByUser.set(credentials.userId, new Set([connection]))
  attach(push, connection, transport)
  scheduleExpiry(push, connection)
  return connection
}

function scheduleExpiry(push: Push, connection: Connection): void {
  const { credentials } = connection
  if (!credentials.expiresAt) return
  const onTime = () =>
    hasExpired(credentials)
      ? endConnection(push, connection, REFUSED, 'The token of this connection has expired.')
      : scheduleExpiry(push, connection)
  const delayMs = Math.min(Math.max(0, credentials.expiresAt.getTime() - Date.now()), LONGEST_TIMER_MS)
  connection.expiryTimer = setTimeout(onTime, delayMs).unref()
}

/** @returns nothing where there is no such connection, or the token is not its own */
export function findRecoverable(push: Push, id: string, reconnectionToken: string): Connection | undefined {
  const connection = push.connections.get(id)
  if (connection?.protocol !== RELIABLE) return undefined
  const [own, given] = [Buffer.from(connection.reconnectionToken), Buffer.from(reconnectionToken)]
  return own.length === given.length && timingSafeEqual(own, given) ? connection : undefined
}

/** Everything that was not acknowledged is sent again; the client knows by its number what it has got. */
export function resume(push: Push, connection: Connection, transport: Transport): void {
  const before = connection.socket
  attach(push, connection, transport)
  // The client may know of the break before the server does.
  before?.terminate()
  for (const { text } of connection.unacked) transport.socket.send(text)
}

function attach(push: Push, connection: Connection, { socket, stream }: Transport): void {
  clearTimeout(connection.recoveryTimer)
  Object.assign(connection, { socket, stream, isCorked: false, isAlive: true })
  socket.on('message', (data, isBinary) => receive(push, connection, data, isBinary))
  socket.on('pong', () => (connection.isAlive = true))
  // What is wrong with it, such as a message that is too large, ends it: `close` follows.
  socket.on('error', () => {})
  socket.on('close', (code) => {
    if (connection.socket === socket) detach(push, connection, code)
  })
  const { id: connectionId, reconnectionToken, credentials, protocol } = connection
  sendControl(push, connection, {
    type: 'system',
    event: 'connected',
    userId: credentials.userId,
    connectionId,
    ...(protocol === RELIABLE && { reconnectionToken }),
  })
}

function detach(push: Push, connection: Connection, code: number): void {
  connection.socket = connection.stream = undefined
  if (connection.protocol !== RELIABLE || FINISHED.has(code))
    return endConnection(push, connection, GOING_AWAY, 'The client has closed it.')
  const giveUp = () => endConnection(push, connection, GOING_AWAY, 'It did not come back.')
  connection.recoveryTimer = setTimeout(giveUp, push.limits.recoveryMs).unref()
}

/** Whoever did not answer the last ping is gone without a word. */
export function pingAll(push: Push): void {
  for (const connection of push.connections.values()) {
    const { socket, isAlive } = connection
    if (socket?.readyState !== WebSocket.OPEN) continue
    if (!isAlive) socket.terminate()
    else {
      connection.isAlive = false
      socket.ping()
    }
  }
}
