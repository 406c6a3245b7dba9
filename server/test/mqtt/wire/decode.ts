/** Packets of the server. Throws where the server breaks a rule about the form of a packet. */
import { type Cursor, readNumber, readText, readVarint } from './fields.ts'
import { type Properties, readProperties } from './properties.ts'
import type { Level } from './encode.ts'

export type ServerPacket =
  | { type: 'connack'; sessionPresent: boolean; code: number; properties: Properties }
  | {
      type: 'publish'
      topic: string
      payload: string
      qos: number
      id?: number
      dup: boolean
      retain: boolean
      properties: Properties
    }
  | { type: 'puback' | 'pubrec' | 'pubrel' | 'pubcomp'; id: number; code: number; properties: Properties }
  | { type: 'suback' | 'unsuback'; id: number; codes: number[]; properties: Properties }
  | { type: 'disconnect' | 'auth'; code: number; properties: Properties }
  | { type: 'pingresp'; properties: Properties }

/** By packet type: its name, its flags where they are fixed, and the reason codes of MQTT 5. [MQTT 5.0, 2.4] */
const types: Record<number, { type: ServerPacket['type']; flags?: number; codes: number[] }> = {
  2: {
    type: 'connack',
    flags: 0,
    codes: [
      0x00, 0x01, 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8c, 0x90, 0x95, 0x97,
      0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9f,
    ],
  },
  3: { type: 'publish', codes: [] },
  4: { type: 'puback', flags: 0, codes: [0x00, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99] },
  5: { type: 'pubrec', flags: 0, codes: [0x00, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99] },
  6: { type: 'pubrel', flags: 2, codes: [0x00, 0x92] },
  7: { type: 'pubcomp', flags: 0, codes: [0x00, 0x92] },
  9: {
    type: 'suback',
    flags: 0,
    codes: [0x00, 0x01, 0x02, 0x80, 0x83, 0x87, 0x8f, 0x91, 0x97, 0x9e, 0xa1, 0xa2],
  },
  11: { type: 'unsuback', flags: 0, codes: [0x00, 0x11, 0x80, 0x83, 0x87, 0x8f, 0x91] },
  13: { type: 'pingresp', flags: 0, codes: [] },
  14: {
    type: 'disconnect',
    flags: 0,
    codes: [
      0x00, 0x80, 0x81, 0x82, 0x83, 0x87, 0x89, 0x8b, 0x8d, 0x8e, 0x8f, 0x90, 0x93, 0x94, 0x95, 0x96, 0x97,
      0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f, 0xa0, 0xa1, 0xa2,
    ],
  },
  15: { type: 'auth', flags: 0, codes: [0x00, 0x18, 0x19] },
}

/** @returns the length of the packet at the beginning of the bytes, or undefined where it is not known yet */
export function packetLength(bytes: Buffer): number | undefined {
  const end = bytes.subarray(1, 5).findIndex((byte) => byte < 0x80)
  if (end < 0) return undefined
  const cursor = { bytes, at: 1 }
  return readVarint(cursor) + cursor.at
}

/** @param bytes one whole packet */
export function decode(bytes: Buffer, level: Level): ServerPacket {
  const first = bytes[0]!
  const known = types[first >> 4]
  if (!known) throw new Error(`the server sent packet type ${first >> 4}`)
  if (known.flags !== undefined && (first & 0x0f) !== known.flags)
    throw new Error(`${known.type} has the flags ${first & 0x0f}`)
  const cursor: Cursor = { bytes, at: 1 }
  readVarint(cursor)
  const packet = decodeBody(known.type, cursor, level, first)
  if (cursor.at !== bytes.length) throw new Error(`${known.type} has bytes after its last field`)
  if (level === 5) checkCodes(packet, known.codes)
  else if (packet.type === 'disconnect' || packet.type === 'auth')
    throw new Error(`${packet.type} is no packet of a server in MQTT 3.1.1`)
  return packet
}

function checkCodes(packet: ServerPacket, allowed: number[]): void {
  const codes = 'codes' in packet ? packet.codes : 'code' in packet ? [packet.code] : []
  for (const code of codes)
    if (!allowed.includes(code)) throw new Error(`${packet.type} has the reason code 0x${code.toString(16)}`)
}

function decodeBody(type: ServerPacket['type'], cursor: Cursor, level: Level, first: number): ServerPacket {
  const hasMore = () => cursor.at < cursor.bytes.length
  const properties = () => (level === 5 && hasMore() ? readProperties(cursor, type) : [])
  switch (type) {
    case 'connack': {
      const flags = readNumber(cursor, 1)
      if (flags > 1) throw new Error(`CONNACK has the flags ${flags}`)
      const code = readNumber(cursor, 1)
      // A server that does not know the version of a CONNECT refuses it in the form of 3.1.1.
      if (level === 5 && code !== 0x01 && !hasMore()) throw new Error('CONNACK has no property length')
      return { type, sessionPresent: flags === 1, code, properties: properties() }
    }
    case 'publish':
      return decodePublish(cursor, level, first)
    case 'puback':
    case 'pubrec':
    case 'pubrel':
    case 'pubcomp': {
      const id = readNumber(cursor, 2)
      return {
        type,
        id,
        code: level === 5 && hasMore() ? readNumber(cursor, 1) : 0,
        properties: properties(),
      }
    }
    case 'suback':
    case 'unsuback': {
      const id = readNumber(cursor, 2)
      if (level === 5 && !hasMore()) throw new Error(`${type} has no property length`)
      const read = properties()
      if (type === 'unsuback' && level !== 5) return { type, id, codes: [], properties: read }
      const codes = [...cursor.bytes.subarray(cursor.at)]
      cursor.at = cursor.bytes.length
      if (level !== 5 && codes.some((code) => code > 2 && code !== 0x80))
        throw new Error(`SUBACK has the return codes ${codes}`)
      return { type, id, codes, properties: read }
    }
    case 'disconnect':
    case 'auth':
      return { type, code: hasMore() ? readNumber(cursor, 1) : 0, properties: properties() }
    case 'pingresp':
      return { type, properties: [] }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodePublish(cursor: Cursor, level: Level, first: number): ServerPacket {
  const qos = (first >> 1) & 3
  if (qos === 3) throw new Error('PUBLISH has QoS 3')
  const topic = utf8.decode(readText(cursor))
  const id = qos > 0 ? readNumber(cursor, 2) : undefined
  if (id === 0) throw new Error('PUBLISH has the packet identifier 0')
  if (level === 5 && cursor.at === cursor.bytes.length) throw new Error('PUBLISH has no property length')
  const properties = level === 5 ? readProperties(cursor, 'publish') : []
  const payload = cursor.bytes.subarray(cursor.at).toString()
  cursor.at = cursor.bytes.length
  const dup = (first & 8) !== 0
  if (dup && qos === 0) throw new Error('PUBLISH with QoS 0 has DUP')
  return {
    type: 'publish',
    topic,
    payload,
    qos,
    ...(id === undefined ? {} : { id }),
    dup,
    retain: (first & 1) !== 0,
    properties,
  }
}
