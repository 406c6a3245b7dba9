/** Handles messages of clients. Clients only acknowledge data and ping: data come from the platform alone. */
import type { RawData } from 'ws'
import { acknowledge, endConnection, sendControl } from './connection.ts'
import type { Connection, Push } from '../state.ts'

const UNSUPPORTED_DATA = 1003
const INVALID_PAYLOAD = 1007

/** Requests of the sub-protocols; each requires an answer if it has an `ackId`. */
const requests = new Set(['joinGroup', 'leaveGroup', 'sendToGroup', 'event'])

export function receive(push: Push, connection: Connection, data: RawData, isBinary: boolean): void {
  // Without a sub-protocol, messages of the client have no meaning.
  if (connection.protocol === undefined) return
  if (isBinary)
    return endConnection(push, connection, UNSUPPORTED_DATA, 'Messages of this sub-protocol are text.')
  const message = parseObject(String(data))
  if (!message) return endConnection(push, connection, INVALID_PAYLOAD, 'A message must be a JSON object.')
  const { type, sequenceId, ackId } = message
  if (type === 'ping') sendControl(push, connection, { type: 'pong' })
  else if (type === 'sequenceAck') {
    if (typeof sequenceId === 'number') acknowledge(connection, sequenceId)
  } else if (requests.has(type as string) && typeof ackId === 'number')
    sendControl(push, connection, {
      type: 'ack',
      ackId,
      success: false,
      error: {
        name: 'Forbidden',
        message: 'Clients only receive. Subscribe by POST /v1/realtime/subscriptions.',
      },
    })
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
