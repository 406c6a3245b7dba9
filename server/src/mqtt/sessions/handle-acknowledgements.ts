/** The device acknowledges messages: PUBACK for QoS 1; PUBREC and PUBCOMP for QoS 2. [MQTT 3.1.1, 4.3] */
import type { IPubackPacket, IPubcompPacket, IPubrecPacket } from 'mqtt-packet'
import { sendAcknowledgement } from '../connection/protocol-version.ts'
import { protocolError, ReasonCode } from '../connection/reason-codes.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { flushOutbox, forget, guardStorage } from './outbox.ts'
import type { OutgoingMessage, Session } from '../state.ts'

/** An acknowledgement of a message that is not known is ignored: it may belong to an earlier connection. */
export function handlePuback(parts: GatewayParts, session: Session, { messageId }: IPubackPacket): void {
  const message = session.outbox.messages.get(messageId!)
  if (!message) return
  expectFlow(message, 1, 'sent', 'PUBACK')
  void forget(parts, session, message)
  flushOutbox(parts, session)
}

/** PUBREL leaves once it is durable that the device has the message. [MQTT-4.3.3-1] */
export function handlePubrec(
  parts: GatewayParts,
  session: Session,
  { messageId, reasonCode = ReasonCode.success }: IPubrecPacket,
): void {
  const packetId = messageId!
  const message = session.outbox.messages.get(packetId)
  if (!message)
    return sendAcknowledgement(session.connection, 'pubrel', packetId, {
      code: ReasonCode.packetIdNotFound,
      message: 'No message with this packet identifier is under way.',
    })
  if (message.state === 'released') return sendAcknowledgement(session.connection, 'pubrel', packetId)
  expectFlow(message, 2, 'sent', 'PUBREC')
  if (reasonCode >= 0x80) {
    void forget(parts, session, message)
    return flushOutbox(parts, session)
  }
  message.state = 'released'
  void release(parts, session, message)
}

async function release(
  parts: GatewayParts,
  session: Session,
  { packetId, number }: OutgoingMessage,
): Promise<void> {
  if (number !== undefined) {
    const stored = parts.storedSessions.releaseMessage(session.stored!, number)
    if (!(await guardStorage(parts, session, stored))) return
  }
  sendAcknowledgement(session.connection, 'pubrel', packetId)
}

export function handlePubcomp(parts: GatewayParts, session: Session, { messageId }: IPubcompPacket): void {
  const message = session.outbox.messages.get(messageId!)
  if (!message) return
  expectFlow(message, 2, 'released', 'PUBCOMP')
  void forget(parts, session, message)
  flushOutbox(parts, session)
}

function expectFlow(
  { publication, state }: OutgoingMessage,
  qos: number,
  expected: string,
  packet: string,
): void {
  if (publication.qos !== qos || state !== expected)
    throw protocolError(`${packet} does not follow the flow of a message with QoS ${publication.qos}.`)
}
