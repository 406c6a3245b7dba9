/**
 * Packets of a device, as bytes. Every field can be given a value that the standard forbids. The tests have this codec of
 * their own, so that an error of the server's parser does not hide itself.
 */
import { type Text, textBytes, varintBytes } from './fields.ts'
import { type Properties, propertyBytes } from './properties.ts'

/** The protocol level: 3 is MQTT 3.1, 4 is MQTT 3.1.1. */
export type Level = 3 | 4 | 5

export interface Will {
  topic: Text
  payload?: Text
  qos?: number
  retain?: boolean
  properties?: Properties
}

/** Overrides that any packet can have. */
interface Frame {
  /** The first byte of the fixed header. */
  first?: number
  /** Bytes after the last field, counted in the remaining length. */
  tail?: number[]
  properties?: Properties
}

export interface Connect extends Frame {
  type: 'connect'
  clientId: Text
  clean?: boolean
  keepAlive?: number
  will?: Will
  username?: Text
  password?: Text
  protocolName?: Text
  level?: number
  /** The connect flags, instead of those that the other fields have. */
  flags?: number
}

export interface Publish extends Frame {
  type: 'publish'
  topic: Text
  payload?: Text
  qos?: number
  id?: number
  dup?: boolean
  retain?: boolean
}

interface Acknowledgement extends Frame {
  type: 'puback' | 'pubrec' | 'pubrel' | 'pubcomp'
  id: number
  code?: number
}

export interface Subscribe extends Frame {
  type: 'subscribe'
  id: number
  filters: [filter: Text, options: number][]
}

export interface Unsubscribe extends Frame {
  type: 'unsubscribe'
  id: number
  filters: Text[]
}

interface Coded extends Frame {
  type: 'disconnect' | 'auth'
  code?: number
}

interface Ping extends Frame {
  type: 'pingreq'
}

export type DevicePacket = Connect | Publish | Acknowledgement | Subscribe | Unsubscribe | Coded | Ping

const firstBytes = {
  connect: 0x10,
  publish: 0x30,
  puback: 0x40,
  pubrec: 0x50,
  pubrel: 0x62,
  pubcomp: 0x70,
  subscribe: 0x82,
  unsubscribe: 0xa2,
  pingreq: 0xc0,
  disconnect: 0xe0,
  auth: 0xf0,
}

export function encode(packet: DevicePacket, level: Level): Buffer {
  const body = Buffer.concat([bodyBytes(packet, level), Buffer.from(packet.tail ?? [])])
  const first =
    packet.first ?? firstBytes[packet.type] + (packet.type === 'publish' ? publishFlags(packet) : 0)
  return Buffer.concat([Buffer.of(first), varintBytes(body.length), body])
}

const publishFlags = ({ qos = 0, dup, retain }: Publish) => (dup ? 8 : 0) | (qos << 1) | (retain ? 1 : 0)

function bodyBytes(packet: DevicePacket, level: Level): Buffer {
  const properties = level === 5 ? propertyBytes(packet.properties ?? []) : Buffer.alloc(0)
  switch (packet.type) {
    case 'connect':
      return connectBytes(packet, level)
    case 'publish':
      return Buffer.concat([
        textBytes(packet.topic),
        packet.qos ? two(packet.id ?? 0) : Buffer.alloc(0),
        properties,
        Buffer.from(packet.payload ?? ''),
      ])
    case 'subscribe':
      return Buffer.concat([
        two(packet.id),
        properties,
        ...packet.filters.flatMap(([filter, options]) => [textBytes(filter), Buffer.of(options)]),
      ])
    case 'unsubscribe':
      return Buffer.concat([two(packet.id), properties, ...packet.filters.map(textBytes)])
    case 'pingreq':
      return Buffer.alloc(0)
    default:
      return codedBytes(packet, level)
  }
}

/** Acknowledgements, DISCONNECT and AUTH: the code and the properties are left out where both say nothing. */
function codedBytes(packet: Acknowledgement | Coded, level: Level): Buffer {
  const id = 'id' in packet ? two(packet.id) : Buffer.alloc(0)
  if (level !== 5 || (packet.code === undefined && !packet.properties)) return id
  return Buffer.concat([
    id,
    Buffer.of(packet.code ?? 0),
    packet.properties ? propertyBytes(packet.properties) : Buffer.alloc(0),
  ])
}

function connectBytes(packet: Connect, level: Level): Buffer {
  const { clientId, clean = true, keepAlive = 60, will, username, password } = packet
  const flags =
    (clean ? 0x02 : 0) |
    (will ? 0x04 | ((will.qos ?? 0) << 3) | (will.retain ? 0x20 : 0) : 0) |
    (password === undefined ? 0 : 0x40) |
    (username === undefined ? 0 : 0x80)
  const isFive = level === 5
  return Buffer.concat([
    textBytes(packet.protocolName ?? (level === 3 ? 'MQIsdp' : 'MQTT')),
    Buffer.of(packet.level ?? level, packet.flags ?? flags),
    two(keepAlive),
    ...(isFive ? [propertyBytes(packet.properties ?? [])] : []),
    textBytes(clientId),
    ...(will
      ? [
          ...(isFive ? [propertyBytes(will.properties ?? [])] : []),
          textBytes(will.topic),
          textBytes(will.payload ?? ''),
        ]
      : []),
    ...(username === undefined ? [] : [textBytes(username)]),
    ...(password === undefined ? [] : [textBytes(password)]),
  ])
}

function two(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
