/** The properties of MQTT 5. [MQTT 5.0, 2.2.2.2] */
import { readNumber, readText, readVarint, type Cursor, type Text, textBytes, varintBytes } from './fields.ts'

type Kind = 'byte' | 'two' | 'four' | 'varint' | 'text' | 'pair' | 'binary'

/** Name, identifier, type, and the packets from a server that may carry it. */
const table = [
  ['payloadFormatIndicator', 0x01, 'byte', ['publish']],
  ['messageExpiryInterval', 0x02, 'four', ['publish']],
  ['contentType', 0x03, 'text', ['publish']],
  ['responseTopic', 0x08, 'text', ['publish']],
  ['correlationData', 0x09, 'binary', ['publish']],
  ['subscriptionIdentifier', 0x0b, 'varint', ['publish']],
  ['sessionExpiryInterval', 0x11, 'four', ['connack']],
  ['assignedClientIdentifier', 0x12, 'text', ['connack']],
  ['serverKeepAlive', 0x13, 'two', ['connack']],
  ['authenticationMethod', 0x15, 'text', ['connack', 'auth']],
  ['authenticationData', 0x16, 'binary', ['connack', 'auth']],
  ['requestProblemInformation', 0x17, 'byte', []],
  ['willDelayInterval', 0x18, 'four', []],
  ['requestResponseInformation', 0x19, 'byte', []],
  ['responseInformation', 0x1a, 'text', ['connack']],
  ['serverReference', 0x1c, 'text', ['connack', 'disconnect']],
  [
    'reasonString',
    0x1f,
    'text',
    ['connack', 'puback', 'pubrec', 'pubrel', 'pubcomp', 'suback', 'unsuback', 'disconnect', 'auth'],
  ],
  ['receiveMaximum', 0x21, 'two', ['connack']],
  ['topicAliasMaximum', 0x22, 'two', ['connack']],
  ['topicAlias', 0x23, 'two', ['publish']],
  ['maximumQoS', 0x24, 'byte', ['connack']],
  ['retainAvailable', 0x25, 'byte', ['connack']],
  [
    'userProperty',
    0x26,
    'pair',
    [
      'connack',
      'publish',
      'puback',
      'pubrec',
      'pubrel',
      'pubcomp',
      'suback',
      'unsuback',
      'disconnect',
      'auth',
    ],
  ],
  ['maximumPacketSize', 0x27, 'four', ['connack']],
  ['wildcardSubscriptionAvailable', 0x28, 'byte', ['connack']],
  ['subscriptionIdentifierAvailable', 0x29, 'byte', ['connack']],
  ['sharedSubscriptionAvailable', 0x2a, 'byte', ['connack']],
] as const satisfies [string, number, Kind, string[]][]

export type PropertyName = (typeof table)[number][0]
export type PropertyValue = number | Text | [Text, Text]
/** In their order on the wire. A name may be repeated, and a value may be invalid. */
export type Properties = [name: PropertyName, value: PropertyValue][]

const number = (value: PropertyValue, bytes: 1 | 2 | 4) => {
  const result = Buffer.alloc(bytes)
  result.writeUIntBE(value as number, 0, bytes)
  return result
}

const encodeValue: Record<Kind, (value: PropertyValue) => Buffer> = {
  byte: (value) => number(value, 1),
  two: (value) => number(value, 2),
  four: (value) => number(value, 4),
  varint: (value) => varintBytes(value as number),
  text: (value) => textBytes(value as Text),
  binary: (value) => textBytes(value as Text),
  pair: (value) => Buffer.concat((value as [Text, Text]).map(textBytes)),
}

export function propertyBytes(properties: Properties): Buffer {
  const parts = properties.map(([name, value]) => {
    const [, id, kind] = table.find((row) => row[0] === name)!
    return Buffer.concat([Buffer.of(id), encodeValue[kind](value)])
  })
  const body = Buffer.concat(parts)
  return Buffer.concat([varintBytes(body.length), body])
}

const decodeValue: Record<Kind, (cursor: Cursor) => PropertyValue> = {
  byte: (cursor) => readNumber(cursor, 1),
  two: (cursor) => readNumber(cursor, 2),
  four: (cursor) => readNumber(cursor, 4),
  varint: readVarint,
  text: (cursor) => readText(cursor).toString(),
  binary: readText,
  pair: (cursor) => [readText(cursor).toString(), readText(cursor).toString()],
}

/** Reads the properties of a packet from the server, and throws where the standard forbids one of them. */
export function readProperties(cursor: Cursor, packetType: string): Properties {
  const length = readVarint(cursor)
  const end = cursor.at + length
  const properties: Properties = []
  while (cursor.at < end) {
    const id = readNumber(cursor, 1)
    const row = table.find((known) => known[1] === id)
    if (!row) throw new Error(`property 0x${id.toString(16)} is unknown`)
    const [name, , kind, packets] = row
    if (!(packets as readonly string[]).includes(packetType))
      throw new Error(`${name} is not allowed in ${packetType.toUpperCase()}`)
    if (
      name !== 'userProperty' &&
      name !== 'subscriptionIdentifier' &&
      properties.some(([other]) => other === name)
    )
      throw new Error(`${name} was sent twice`)
    properties.push([name, decodeValue[kind](cursor)])
  }
  if (cursor.at !== end) throw new Error('the properties are longer than their length')
  return properties
}

export const findProperty = (
  properties: Properties | undefined,
  name: PropertyName,
): PropertyValue | undefined => properties?.find(([other]) => other === name)?.[1]
