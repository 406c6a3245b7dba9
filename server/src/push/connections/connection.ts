/** One real-time connection: its socket, and the messages to send again if the client resumes it after a break. */
import { WebSocket } from 'ws'
import { deleteSubscription } from '../subscriptions/subscription.ts'
import type { Connection, Push } from '../state.ts'
import { JSON_ONLY } from './protocol.ts'

/** WebSocket close codes. The public client resumes after each except 1008, after which it opens a new connection. */
export const GOING_AWAY = 1001
export const REFUSED = 1008
export const OVERLOADED = 1013
/** The time within which a client must answer the close frame. */
const CLOSING_MS = 5000

const TOO_SLOW = 'The client reads messages more slowly than they arrive.'

/** @param json one object of data, as JSON text */
export function sendData(push: Push, connection: Connection, json: string): void {
  if (connection.isEnded) return
  const { protocol } = connection
  if (protocol === undefined) return write(push, connection, json)
  const message = `"type":"message","from":"server","dataType":"json","data":${json}}`
  if (protocol === JSON_ONLY) return write(push, connection, `{${message}`)
  const text = `{"sequenceId":${++connection.sequenceId},${message}`
  connection.unacked.push({ sequenceId: connection.sequenceId, text })
  connection.unackedBytes += text.length
  if (connection.unackedBytes > push.limits.maxUnackedBytes)
    return endConnection(push, connection, OVERLOADED, TOO_SLOW)
  write(push, connection, text)
}

/** Sends a message other than data; it has no sequence id and is not sent again. */
export const sendControl = (push: Push, connection: Connection, message: object): void =>
  write(push, connection, JSON.stringify(message))

function write(push: Push, connection: Connection, text: string): void {
  const { socket } = connection
  if (!socket || socket.readyState !== WebSocket.OPEN) return
  if (socket.bufferedAmount > push.limits.maxBufferedBytes)
    return endConnection(push, connection, OVERLOADED, TOO_SLOW)
  cork(connection)
  socket.send(text)
}

/** Joins all messages of one turn of the event loop into one write. */
function cork(connection: Connection): void {
  const { stream } = connection
  if (connection.isCorked || !stream) return
  connection.isCorked = true
  stream.cork()
  process.nextTick(() => {
    connection.isCorked = false
    stream.uncork()
  })
}

/** Whether so much is unsent or unacknowledged that messages which can wait should not be sent yet. */
export const isBehind = ({ limits }: Push, { socket, unackedBytes }: Connection): boolean =>
  unackedBytes > limits.maxUnackedBytes / 2 || (socket?.bufferedAmount ?? 0) > limits.maxBufferedBytes / 16

export function acknowledge(connection: Connection, sequenceId: number): void {
  const first = connection.unacked[0]
  if (!first || sequenceId < first.sequenceId) return
  for (const { text } of connection.unacked.splice(0, sequenceId - first.sequenceId + 1))
    connection.unackedBytes -= text.length
}

/** Ends the connection for good: its subscriptions end with it, and it cannot be resumed. */
export function endConnection(push: Push, connection: Connection, code: number, reason: string): void {
  if (connection.isEnded) return
  connection.isEnded = true
  clearTimeout(connection.recoveryTimer)
  clearTimeout(connection.expiryTimer)
  for (const subscription of connection.subscriptions) deleteSubscription(push, subscription)
  push.connections.delete(connection.id)
  const ofUser = push.connectionsByUser.get(connection.credentials.userId)
  ofUser?.delete(connection)
  if (ofUser?.size === 0) push.connectionsByUser.delete(connection.credentials.userId)
  connection.unacked = []
  connection.unackedBytes = 0
  closeSocket(connection.socket, code, reason)
}

export function closeSocket(socket: WebSocket | undefined, code: number, reason: string): void {
  if (!socket || socket.readyState === WebSocket.CLOSED) return
  const cut = setTimeout(() => socket.terminate(), CLOSING_MS).unref()
  socket.once('close', () => clearTimeout(cut))
  socket.close(code, reason)
}
