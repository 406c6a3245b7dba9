/**
 * Refuses packets that the standards forbid and `mqtt-packet` lets through. Each packet type has its check; the parser
 * reads a packet only after it. [MQTT 3.1.1, MQTT 5.0]
 */
import {
  checkEnd,
  checkPacketId,
  type Cursor,
  readByte,
  readUint16,
  skipBinary,
  skipText,
  skipTopicFilter,
  skipTopicName,
} from './check-bytes.ts'
import { skipProperties } from './check-properties.ts'
import { type MessageProperties, readMessageProperties } from './message-properties.ts'
import type { Frame } from './read-frames.ts'
import { malformed, PacketError, protocolError, ReasonCode } from './reason-codes.ts'
import type { ProtocolVersion } from '../state.ts'

export const PacketType = {
  connect: 1,
  publish: 3,
  puback: 4,
  pubrec: 5,
  pubrel: 6,
  pubcomp: 7,
  subscribe: 8,
  unsubscribe: 10,
  pingreq: 12,
  disconnect: 14,
  auth: 15,
} as const

type Check = (cursor: Cursor, version: ProtocolVersion) => void

const checks: Partial<Record<number, { flags: number; check: Check }>> = {
  [PacketType.puback]: { flags: 0, check: checkAcknowledgement },
  [PacketType.pubrec]: { flags: 0, check: checkAcknowledgement },
  [PacketType.pubrel]: { flags: 2, check: checkAcknowledgement },
  [PacketType.pubcomp]: { flags: 0, check: checkAcknowledgement },
  [PacketType.subscribe]: { flags: 2, check: checkSubscribe },
  [PacketType.unsubscribe]: { flags: 2, check: checkUnsubscribe },
  [PacketType.pingreq]: { flags: 0, check: checkEnd },
  [PacketType.disconnect]: { flags: 0, check: checkDisconnect },
}

/**
 * Checks all packets but CONNECT and PUBLISH.
 * @throws PacketError
 */
export function checkPacket({ bytes, start, bodyAt, end }: Frame, version: ProtocolVersion): void {
  const first = bytes[start]!
  const type = first >> 4
  const cursor: Cursor = { bytes, at: bodyAt, end }
  const rule = checks[type]
  if (!rule) throw protocolError(unexpectedPacket(type))
  if ((first & 15) !== rule.flags) throw malformed('The flags of a packet are wrong.')
  rule.check(cursor, version)
}

function unexpectedPacket(type: number): string {
  if (type === PacketType.connect) return 'A second CONNECT arrived.'
  if (type === PacketType.auth) return 'AUTH is not served: there is no enhanced authentication.'
  return `A client may not send packets of type ${type}.`
}

function checkAcknowledgement(cursor: Cursor, version: ProtocolVersion): void {
  checkPacketId(cursor)
  if (version === 5 && cursor.at < cursor.end) {
    readByte(cursor)
    if (cursor.at < cursor.end) skipProperties(cursor, 'acknowledgement')
  }
  checkEnd(cursor)
}

function checkSubscribe(cursor: Cursor, version: ProtocolVersion): void {
  checkPacketId(cursor)
  if (version === 5) skipProperties(cursor, 'subscribe')
  if (cursor.at === cursor.end) throw protocolError('SUBSCRIBE has no topic filter.')
  while (cursor.at < cursor.end) {
    const filterAt = cursor.at + 2
    skipTopicFilter(cursor)
    const isShared = cursor.bytes.toString('latin1', filterAt, filterAt + 7) === '$share/'
    const options = readByte(cursor)
    if ((options & 3) === 3) throw malformed('A subscription has QoS 3.')
    if (version < 5 ? options > 2 : options > 0x2f || (options & 0x30) === 0x30)
      throw malformed('The options of a subscription are wrong.')
    if (version === 5 && isShared && options & 4)
      throw protocolError('A shared subscription has the option "no local".')
  }
}

function checkUnsubscribe(cursor: Cursor, version: ProtocolVersion): void {
  checkPacketId(cursor)
  if (version === 5) skipProperties(cursor, 'unsubscribe')
  if (cursor.at === cursor.end) throw protocolError('UNSUBSCRIBE has no topic filter.')
  while (cursor.at < cursor.end) skipTopicFilter(cursor)
}

function checkDisconnect(cursor: Cursor, version: ProtocolVersion): void {
  if (version === 5 && cursor.at < cursor.end) {
    readByte(cursor)
    if (cursor.at < cursor.end) skipProperties(cursor, 'disconnect')
  }
  checkEnd(cursor)
}

const RESERVED = 0x01
const WILL = 0x04
const WILL_QOS_OR_RETAIN = 0x38
const PASSWORD = 0x40
const USER_NAME = 0x80

/**
 * @param onVersion called with the version of the protocol, before the fields that depend on it: a refusal has its form
 * @returns the properties of the will, which MQTT 5 has
 * @throws PacketError; the version may be one that is not served
 */
export function checkConnect(
  { bytes, start, bodyAt, end }: Frame,
  onVersion: (version: ProtocolVersion) => void,
): MessageProperties | undefined {
  const cursor: Cursor = { bytes, at: bodyAt, end }
  const version = checkProtocol(cursor)
  onVersion(version)
  if ((bytes[start]! & 15) !== 0) throw malformed('The flags of a packet are wrong.')
  const flags = readByte(cursor)
  if (flags & RESERVED) throw malformed('The reserved flag of CONNECT is set.')
  if (((flags >> 3) & 3) === 3) throw malformed('The will has QoS 3.')
  if (!(flags & WILL) && flags & WILL_QOS_OR_RETAIN)
    throw malformed('There is a QoS or retain flag without a will.')
  // MQTT 5 allows a password alone. [MQTT-3.1.2-22]
  if (version < 5 && flags & PASSWORD && !(flags & USER_NAME))
    throw malformed('There is a password without a user name.')
  readUint16(cursor)
  if (version === 5) skipProperties(cursor, 'connect')
  skipText(cursor, 'client id')
  let willProperties: MessageProperties | undefined
  if (flags & WILL) {
    if (version === 5) {
      const propertiesAt = cursor.at
      skipProperties(cursor, 'will')
      willProperties = readMessageProperties(bytes, propertiesAt)
    }
    skipTopicName(cursor, 'topic of the will')
    skipBinary(cursor)
  }
  if (flags & USER_NAME) skipText(cursor, 'user name')
  if (flags & PASSWORD) skipBinary(cursor)
  checkEnd(cursor)
  return willProperties
}

/** MQTT 3.1 is named MQIsdp, and has the level 3. [MQTT-3.1.2-1, MQTT-3.1.2-2] */
function checkProtocol(cursor: Cursor): ProtocolVersion {
  const nameAt = cursor.at + 2
  skipText(cursor, 'protocol name')
  const name = cursor.bytes.toString('latin1', nameAt, cursor.at)
  if (name !== 'MQTT' && name !== 'MQIsdp') throw malformed('The protocol is not MQTT.')
  const level = readByte(cursor)
  const isServed = name === 'MQTT' ? level === 4 || level === 5 : level === 3
  if (!isServed)
    throw new PacketError(
      ReasonCode.unsupportedProtocolVersion,
      `The protocol level ${level} is not served; these are: 3.1 (3), 3.1.1 (4), 5.0 (5).`,
    )
  return level as ProtocolVersion
}
