/**
 * Reads PUBLISH, the most frequent packet: its check finds every field, so that it needs no parser. A device publishes to few topics; the one that it used last is neither checked nor decoded again.
 */
import type { Qos } from '../sessions/publication.ts'
import { checkPacketId, type Cursor, skipTopicName } from './check-bytes.ts'
import { has, skipProperties, TOPIC_ALIAS } from './check-properties.ts'
import { type MessageProperties, readMessageProperties } from './message-properties.ts'
import type { Frame } from './read-frames.ts'
import { malformed, protocolError } from './reason-codes.ts'
import type { Connection } from '../state.ts'

export interface ReceivedPublish {
  /** Empty where an alias stands for it. */
  topic: string
  payload: Buffer
  qos: Qos
  retain: boolean
  dup: boolean
  /** 0 for QoS 0, which has none. */
  packetId: number
  /** Set if the protocol is MQTT 5 and the message has properties. */
  properties: MessageProperties | undefined
}

/** @throws PacketError. [MQTT-3.3.1-2, MQTT-3.3.1-4, MQTT-3.3.2-1, MQTT-3.3.2-2] */
export function readPublish(connection: Connection, { bytes, start, bodyAt, end }: Frame): ReceivedPublish {
  const flags = bytes[start]! & 15
  const qos = ((flags >> 1) & 3) as Qos | 3
  if (qos === 3) throw malformed('A message has QoS 3.')
  if (qos === 0 && flags & 8) throw malformed('A message with QoS 0 is marked as a duplicate.')
  const cursor: Cursor = { bytes, at: bodyAt, end }
  const topic = readTopic(connection, cursor)
  const packetId = qos > 0 ? checkPacketId(cursor) : 0
  let properties: MessageProperties | undefined
  if (connection.version === 5) {
    const propertiesAt = cursor.at
    const seen = skipProperties(cursor, 'publish')
    if (topic === '' && !has(seen, TOPIC_ALIAS))
      throw protocolError('A message has neither a topic nor an alias.')
    if (seen !== 0n) properties = readMessageProperties(bytes, propertiesAt)
  }
  const payload = bytes.subarray(cursor.at, end)
  return { topic, payload, qos, retain: (flags & 1) === 1, dup: (flags & 8) === 8, packetId, properties }
}

function readTopic(connection: Connection, cursor: Cursor): string {
  const { bytes, at, end } = cursor
  const { lastTopic } = connection
  if (lastTopic) {
    const lastEnd = at + lastTopic.bytes.length
    if (lastEnd <= end && bytes.compare(lastTopic.bytes, 0, lastTopic.bytes.length, at, lastEnd) === 0) {
      cursor.at = lastEnd
      return lastTopic.name
    }
  }
  skipTopicName(cursor, 'topic', connection.version === 5)
  const name = bytes.toString('utf8', at + 2, cursor.at)
  connection.lastTopic = { bytes: Buffer.from(bytes.subarray(at, cursor.at)), name }
  return name
}
