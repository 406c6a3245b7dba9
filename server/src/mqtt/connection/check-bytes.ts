/** Checks the fields of a packet in its bytes, where `mqtt-packet` is lenient. All checks throw a `PacketError`. */
import { isUtf8 } from 'node:buffer'
import { malformed, protocolError } from './reason-codes.ts'

/** The position of a check within the body of a packet. */
export interface Cursor {
  bytes: Buffer
  at: number
  end: number
}

export function readByte(cursor: Cursor): number {
  if (cursor.at >= cursor.end) throw malformed('A packet is too short.')
  return cursor.bytes[cursor.at++]!
}

export function readUint16(cursor: Cursor): number {
  if (cursor.at + 2 > cursor.end) throw malformed('A packet is too short.')
  const value = cursor.bytes.readUInt16BE(cursor.at)
  cursor.at += 2
  return value
}

export function readUint32(cursor: Cursor): number {
  if (cursor.at + 4 > cursor.end) throw malformed('A packet is too short.')
  const value = cursor.bytes.readUInt32BE(cursor.at)
  cursor.at += 4
  return value
}

/** [MQTT 5.0, 1.5.5] */
export function readVariableInteger(cursor: Cursor): number {
  let value = 0
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = readByte(cursor)
    value |= (byte & 127) << shift
    if (byte < 128) {
      if (shift > 0 && byte === 0) throw malformed('A variable byte integer is longer than its value needs.')
      return value
    }
  }
  throw malformed('A variable byte integer has more than four bytes.')
}

export function skipBinary(cursor: Cursor): void {
  const length = readUint16(cursor)
  if (cursor.at + length > cursor.end) throw malformed('A packet is too short.')
  cursor.at += length
}

/** Well-formed UTF-8 without NUL. [MQTT-1.5.3-1, MQTT-1.5.3-2] */
export function skipText(cursor: Cursor, name: string): void {
  const start = cursor.at + 2
  skipBinary(cursor)
  checkText(cursor.bytes, start, cursor.at, name)
}

function checkText(bytes: Buffer, start: number, end: number, name: string): void {
  if (!isUtf8(bytes.subarray(start, end))) throw malformed(`The ${name} is not well-formed UTF-8.`)
  for (let at = start; at < end; at++)
    if (bytes[at] === 0) throw malformed(`The ${name} contains the character NUL.`)
}

const PLUS = 0x2b
const HASH = 0x23
const SLASH = 0x2f

/** @param mayBeEmpty for MQTT 5, where an alias may stand for the topic. [MQTT-4.7.1-1, MQTT-4.7.3-1] */
export function skipTopicName(cursor: Cursor, name: string, mayBeEmpty = false): void {
  const { bytes } = cursor
  const start = cursor.at + 2
  skipText(cursor, name)
  if (start === cursor.at && !mayBeEmpty) throw malformed(`The ${name} is empty.`)
  for (let at = start; at < cursor.at; at++)
    if (bytes[at] === PLUS || bytes[at] === HASH) throw malformed(`The ${name} contains a wildcard.`)
}

/** Wildcards stand for whole levels, and `#` is the last one. [MQTT-4.7.1-2, MQTT-4.7.1-3] */
export function skipTopicFilter(cursor: Cursor): void {
  const { bytes } = cursor
  const start = cursor.at + 2
  skipText(cursor, 'topic filter')
  const end = cursor.at
  if (start === end) throw malformed('A topic filter is empty.')
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte !== PLUS && byte !== HASH) continue
    const isWholeLevel =
      (at === start || bytes[at - 1] === SLASH) && (at + 1 === end || bytes[at + 1] === SLASH)
    if (!isWholeLevel || (byte === HASH && at + 1 < end))
      throw malformed('A wildcard of a topic filter does not stand for whole levels.')
  }
}

export function checkPacketId(cursor: Cursor): number {
  const packetId = readUint16(cursor)
  if (packetId === 0) throw protocolError('A packet identifier is 0.')
  return packetId
}

export function checkEnd(cursor: Cursor): void {
  if (cursor.at !== cursor.end) throw malformed('A packet has bytes after its end.')
}
