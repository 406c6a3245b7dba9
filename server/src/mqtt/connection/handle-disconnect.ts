import type { IDisconnectPacket } from 'mqtt-packet'
import type { GatewayParts } from '../gateway-parts.ts'
import { finishConnection } from './end-connection.ts'
import { MAX_SESSION_EXPIRY_SECONDS } from './limits.ts'
import { protocolError, ReasonCode } from './reason-codes.ts'
import type { Session } from '../state.ts'

/** The device leaves: its will is discarded, unless it asks for it. [MQTT-3.14.4-3; MQTT 5.0, 3.14.2.2.2] */
export function handleDisconnect(
  parts: GatewayParts,
  session: Session,
  { reasonCode = ReasonCode.success, properties }: IDisconnectPacket,
): void {
  const expirySeconds = properties?.sessionExpiryInterval
  if (expirySeconds !== undefined) {
    if (session.expirySeconds === 0 && expirySeconds > 0)
      throw protocolError('The session expiry was 0 in CONNECT, and DISCONNECT may not change that.')
    session.expirySeconds = Math.min(expirySeconds, MAX_SESSION_EXPIRY_SECONDS)
  }
  if (reasonCode === ReasonCode.success) session.will = undefined
  finishConnection(parts, session.connection, {
    reason: 'client_disconnected',
    message: properties?.reasonString
      ? `The device disconnected: ${properties.reasonString}`
      : 'The device disconnected.',
  })
}
