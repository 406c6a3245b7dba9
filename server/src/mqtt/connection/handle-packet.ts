/** Checks a complete packet, parses it, and calls the handler of its type. */
import type { Packet } from 'mqtt-packet'
import { handleConnect, refuseConnect } from '../authentication/handle-connect.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { handlePublish } from '../publish/handle-publish.ts'
import { handlePubrel } from '../publish/handle-pubrel.ts'
import { handlePuback, handlePubcomp, handlePubrec } from '../sessions/handle-acknowledgements.ts'
import { handleSubscribe } from '../sessions/handle-subscribe.ts'
import { handleUnsubscribe } from '../sessions/handle-unsubscribe.ts'
import { checkConnect, checkPacket, PacketType } from './check-packet.ts'
import { endConnection } from './end-connection.ts'
import { handleDisconnect } from './handle-disconnect.ts'
import { sendPingresp } from './protocol-version.ts'
import type { Frame } from './read-frames.ts'
import { readPublish } from './read-publish.ts'
import { type PacketError, ReasonCode } from './reason-codes.ts'
import type { Connection, Session } from '../state.ts'

/** @throws PacketError */
export function handleFrame(parts: GatewayParts, connection: Connection, frame: Frame): void {
  const { bytes, start, end } = frame
  connection.sawPacket = true
  if (connection.phase === 'waiting') {
    const willProperties = checkConnect(frame, (version) => (connection.version = version))
    const packet = parts.parser.parseConnect(bytes.subarray(start, end))
    connection.phase = 'signing_in'
    if (packet.cmd === 'connect') void handleConnect(parts, connection, { packet, willProperties })
    return
  }
  if (bytes[start]! >> 4 === PacketType.publish)
    return handlePublish(parts, connection.session!, readPublish(connection, frame))
  checkPacket(frame, connection.version)
  handlePacket(parts, connection.session!, parts.parser.parse(bytes.subarray(start, end), connection.version))
}

/** @throws PacketError */
function handlePacket(parts: GatewayParts, session: Session, packet: Packet): void {
  switch (packet.cmd) {
    case 'puback':
      return handlePuback(parts, session, packet)
    case 'pubrec':
      return handlePubrec(parts, session, packet)
    case 'pubrel':
      return handlePubrel(parts, session, packet)
    case 'pubcomp':
      return handlePubcomp(parts, session, packet)
    case 'subscribe':
      return handleSubscribe(parts, session, packet)
    case 'unsubscribe':
      return handleUnsubscribe(parts, session, packet)
    case 'pingreq':
      return sendPingresp(session.connection)
    case 'disconnect':
      return handleDisconnect(parts, session, packet)
  }
}

export function refusePacket(
  parts: GatewayParts,
  connection: Connection,
  { code, message }: PacketError,
): void {
  if (connection.phase === 'waiting') return refuseConnect(parts, connection, code, message)
  endConnection(parts, connection, {
    reason: code === ReasonCode.packetTooLarge ? 'message_too_large' : 'protocol_error',
    message,
    code,
  })
}
