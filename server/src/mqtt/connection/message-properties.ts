/**
 * The properties of messages in MQTT 5, read and written in our own code: `mqtt-packet` keeps user properties in an
 * object, which loses their order. [MQTT 5.0, 3.3.2.3; MQTT-3.3.2-18]
 */
import type { ForwardedProperties } from '../sessions/publication.ts'
import { type Cursor, readByte, readUint16, readUint32, readVariableInteger } from './check-bytes.ts'

/** The identifiers of the properties. */
const Id = {
  payloadFormatIndicator: 0x01,
  messageExpiryInterval: 0x02,
  contentType: 0x03,
  responseTopic: 0x08,
  correlationData: 0x09,
  subscriptionIdentifier: 0x0b,
  willDelayInterval: 0x18,
  topicAlias: 0x23,
  userProperty: 0x26,
} as const

export interface MessageProperties {
  forwarded: ForwardedProperties
  messageExpiryInterval?: number | undefined
  topicAlias?: number | undefined
  /** In seconds; only wills have it. */
  willDelayInterval?: number
  /** Only messages to the device have them. */
  subscriptionIdentifiers?: number[]
}

/** Reads properties that were checked. @param at the position of their length */
export function readMessageProperties(bytes: Buffer, at: number): MessageProperties {
  const cursor: Cursor = { bytes, at, end: bytes.length }
  const length = readVariableInteger(cursor)
  const end = cursor.at + length
  const properties: MessageProperties = { forwarded: {} }
  while (cursor.at < end) readProperty(cursor, properties)
  return properties
}

function readProperty(cursor: Cursor, properties: MessageProperties): void {
  const { forwarded } = properties
  switch (readVariableInteger(cursor)) {
    case Id.payloadFormatIndicator:
      forwarded.payloadFormatIndicator = readByte(cursor) === 1
      return
    case Id.messageExpiryInterval:
      properties.messageExpiryInterval = readUint32(cursor)
      return
    case Id.contentType:
      forwarded.contentType = readText(cursor)
      return
    case Id.responseTopic:
      forwarded.responseTopic = readText(cursor)
      return
    case Id.correlationData:
      // A copy, since the message may be kept longer than the bytes that it arrived with.
      forwarded.correlationData = Buffer.from(readBinary(cursor))
      return
    case Id.willDelayInterval:
      properties.willDelayInterval = readUint32(cursor)
      return
    case Id.topicAlias:
      properties.topicAlias = readUint16(cursor)
      return
    case Id.userProperty:
      forwarded.userProperties ??= []
      forwarded.userProperties.push([readText(cursor), readText(cursor)])
  }
}

function readBinary(cursor: Cursor): Buffer {
  const length = readUint16(cursor)
  cursor.at += length
  return cursor.bytes.subarray(cursor.at - length, cursor.at)
}

const readText = (cursor: Cursor): string => readBinary(cursor).toString()

/** @returns the properties with their length in front */
export function writeMessageProperties(properties: MessageProperties): Buffer {
  const { forwarded, messageExpiryInterval, topicAlias, subscriptionIdentifiers = [] } = properties
  const {
    payloadFormatIndicator,
    contentType,
    responseTopic,
    correlationData,
    userProperties = [],
  } = forwarded
  const parts: Buffer[] = []
  if (payloadFormatIndicator !== undefined)
    parts.push(Buffer.of(Id.payloadFormatIndicator, Number(payloadFormatIndicator)))
  if (messageExpiryInterval !== undefined) {
    const part = Buffer.of(Id.messageExpiryInterval, 0, 0, 0, 0)
    part.writeUInt32BE(messageExpiryInterval, 1)
    parts.push(part)
  }
  if (contentType !== undefined) parts.push(Buffer.of(Id.contentType), withLength(contentType))
  if (responseTopic !== undefined) parts.push(Buffer.of(Id.responseTopic), withLength(responseTopic))
  if (correlationData !== undefined) parts.push(Buffer.of(Id.correlationData), withLength(correlationData))
  if (topicAlias !== undefined) parts.push(Buffer.of(Id.topicAlias, topicAlias >> 8, topicAlias & 255))
  for (const identifier of subscriptionIdentifiers)
    parts.push(Buffer.of(Id.subscriptionIdentifier), variableInteger(identifier))
  for (const [name, value] of userProperties)
    parts.push(Buffer.of(Id.userProperty), withLength(name), withLength(value))
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([variableInteger(length), ...parts])
}

/** @param content up to 65,535 bytes */
export function withLength(content: string | Buffer): Buffer {
  const length = Buffer.byteLength(content)
  const bytes = Buffer.allocUnsafe(2 + length)
  bytes.writeUInt16BE(length)
  if (typeof content === 'string') bytes.write(content, 2)
  else content.copy(bytes, 2)
  return bytes
}

/** [MQTT 5.0, 1.5.5] */
export function variableInteger(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  do {
    bytes.push((rest & 127) | (rest > 127 ? 128 : 0))
    rest >>= 7
  } while (rest > 0)
  return Buffer.from(bytes)
}
