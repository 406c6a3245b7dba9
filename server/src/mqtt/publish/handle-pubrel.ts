import type { IPubrelPacket } from 'mqtt-packet'
import { sendAcknowledgement } from '../connection/protocol-version.ts'
import { protocolError, ReasonCode } from '../connection/reason-codes.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { guardStorage } from '../sessions/outbox.ts'
import type { Session } from '../state.ts'

/**
 * The device releases a message with QoS 2: its packet identifier may stand for another message. [MQTT-4.3.3-2]
 * @throws PacketError
 */
export function handlePubrel(parts: GatewayParts, session: Session, { messageId }: IPubrelPacket): void {
  const { acknowledgements } = session.connection.inbound
  if (acknowledgements.some(({ type, packetId }) => type === 'pubrec' && packetId === messageId))
    throw protocolError('PUBREL does not follow the flow of a message with QoS 2: it came before PUBREC.')
  void release(parts, session, messageId!)
}

async function release(parts: GatewayParts, session: Session, packetId: number): Promise<void> {
  const { connection, received, stored } = session
  if (!received.has(packetId))
    return sendAcknowledgement(connection, 'pubcomp', packetId, {
      code: ReasonCode.packetIdNotFound,
      message: 'No message with this packet identifier is under way.',
    })
  if (stored) {
    const deleted = parts.storedSessions.deleteReceived(stored, packetId)
    if (!(await guardStorage(parts, session, deleted))) return
  }
  received.delete(packetId)
  sendAcknowledgement(connection, 'pubcomp', packetId)
}
