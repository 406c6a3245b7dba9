/** Opens, detaches and resumes connections; a resumed connection receives the messages that it missed. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { newId } from '../../lib/ids.ts'
import { endConnection, GOING_AWAY, REFUSED, sendControl } from './connection.ts'
import { hasExpired, type Negotiated } from './credentials.ts'
import { receive } from './receive.ts'
import type { Connection, Push } from '../state.ts'
import { RELIABLE, type Protocol } from './protocol.ts'

/** The close codes after which the client does not resume the connection. */
const FINISHED = new Set([1000, 1001, 1005])

/** The longest delay of a timer; a timer with a longer one would fire at once. */
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
    entryCount: 0,
  }
  const ofUser = push.connectionsByUser.get(credentials.userId)
  // A second connection with the same token replaces a broken one, which nobody will resume.
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

/** @returns undefined if there is no such connection or the token is not its own */
export function findRecoverable(push: Push, id: string, reconnectionToken: string): Connection | undefined {
  const connection = push.connections.get(id)
  if (connection?.protocol !== RELIABLE) return undefined
  const [own, given] = [Buffer.from(connection.reconnectionToken), Buffer.from(reconnectionToken)]
  return own.length === given.length && timingSafeEqual(own, given) ? connection : undefined
}

/** All unacknowledged messages are sent again; the client recognizes duplicates by their sequence id. */
export function resume(push: Push, connection: Connection, transport: Transport): void {
  const before = connection.socket
  attach(push, connection, transport)
  // The client may notice the break before the server does.
  before?.terminate()
  for (const { text } of connection.unacked) transport.socket.send(text)
}

function attach(push: Push, connection: Connection, { socket, stream }: Transport): void {
  clearTimeout(connection.recoveryTimer)
  Object.assign(connection, { socket, stream, isCorked: false, isAlive: true })
  socket.on('message', (data, isBinary) => receive(push, connection, data, isBinary))
  socket.on('pong', () => (connection.isAlive = true))
  // An error, such as a message that is too large, ends the socket: `close` follows.
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
  const giveUp = () => endConnection(push, connection, GOING_AWAY, 'The client did not reconnect.')
  connection.recoveryTimer = setTimeout(giveUp, push.limits.recoveryMs).unref()
}

/** Terminates the sockets that did not answer the last ping, and pings the others. */
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
