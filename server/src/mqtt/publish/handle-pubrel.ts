import type { IPubrelPacket } from 'mqtt-packet'
import { sendAcknowledgement } from '../connection/protocol-version.ts'
import { protocolError, ReasonCode } from '../connection/reason-codes.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { guardStorage } from '../sessions/outbox.ts'
import type { Session } from '../state.ts'
import { isPubrecExpected } from './acknowledge.ts'

/**
 * The device releases a message with QoS 2: its packet identifier may stand for another message. [MQTT-4.3.3-2]
 * @throws PacketError
 */
export function handlePubrel(parts: GatewayParts, session: Session, { messageId }: IPubrelPacket): void {
  if (isPubrecExpected(session.connection, messageId!))
    throw protocolError('PUBREL does not follow the flow of a message with QoS 2: it came before PUBREC.')
  parts.backlog.during(session.connection, 0, release(parts, session, messageId!))
}

async function release(parts: GatewayParts, session: Session, packetId: number): Promise<void> {
  const { connection, received, stored } = session
  if (!received?.has(packetId)) return answerUnknown(session, packetId)
  if (stored) {
    const deleted = parts.storedSessions.deleteReceived(stored, packetId)
    if (!(await guardStorage(parts, session, deleted))) return
  }
  received.delete(packetId)
  sendAcknowledgement(connection, 'pubcomp', packetId)
}

/**
 * In a resumed session the message may have been released before, if PUBCOMP was lost with the former connection: this
 * is no error. [MQTT 5.0, 3.7.2.1]
 */
function answerUnknown({ connection, isResumed }: Session, packetId: number): void {
  if (isResumed) return sendAcknowledgement(connection, 'pubcomp', packetId)
  sendAcknowledgement(connection, 'pubcomp', packetId, {
    code: ReasonCode.packetIdNotFound,
    message: 'No message with this packet identifier is under way.',
  })
}
