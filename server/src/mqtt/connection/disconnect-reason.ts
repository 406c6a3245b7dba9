/** The reasons why connections end, with their codes in MQTT 5. */
import type { DisconnectReason } from '../../providers/live-sessions.ts'
import { ReasonCode } from './reason-codes.ts'
import type { Connection, Ending } from '../state.ts'

export const reasonCodes: Record<DisconnectReason, ReasonCode> = {
  client_disconnected: ReasonCode.success,
  connection_lost: ReasonCode.unspecifiedError,
  keep_alive_timeout: ReasonCode.keepAliveTimeout,
  session_taken_over: ReasonCode.sessionTakenOver,
  client_disabled: ReasonCode.administrativeAction,
  client_deleted: ReasonCode.administrativeAction,
  keys_rotated: ReasonCode.notAuthorized,
  certificate_expired: ReasonCode.notAuthorized,
  certificate_revoked: ReasonCode.notAuthorized,
  message_too_large: ReasonCode.packetTooLarge,
  topic_not_allowed: ReasonCode.notAuthorized,
  protocol_error: ReasonCode.protocolError,
  too_slow: ReasonCode.quotaExceeded,
  storage_unavailable: ReasonCode.serverBusy,
  server_stopped: ReasonCode.serverShuttingDown,
}

export const connectionLost: Ending = { reason: 'connection_lost', message: 'The connection broke.' }
export const takenOverElsewhere: Ending = {
  reason: 'session_taken_over',
  isTakenByOtherNode: true,
  message: 'The device connected to another server with the same client id.',
}
export const serverStopped: Ending = { reason: 'server_stopped', message: 'The server stopped.' }

/** While messages wait for the database nothing is read, not even pings: then the device is not to blame. */
export const keepAliveTimeout = ({ inbound }: Connection): Ending =>
  inbound.waitingMessages > 0
    ? { reason: 'storage_unavailable', message: 'Messages waited too long to be stored.' }
    : { reason: 'keep_alive_timeout', message: 'Nothing came from the device for 1.5 keep-alive times.' }

const endedByDevice = new Set<DisconnectReason>(['client_disconnected', 'connection_lost', 'server_stopped'])
/** Whether the platform ended the connection, for another reason than its own stop. */
export const isOurDoing = ({ reason }: Ending): boolean => !endedByDevice.has(reason)
