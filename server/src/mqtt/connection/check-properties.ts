/** Checks the properties of MQTT 5: which packet may have them, how often, and with which values. [MQTT 5.0, 2.2.2] */
import {
  type Cursor,
  readByte,
  readUint16,
  readUint32,
  readVariableInteger,
  skipBinary,
  skipText,
  skipTopicName,
} from './check-bytes.ts'
import { malformed, protocolError } from './reason-codes.ts'

export type PropertyOwner =
  | 'connect'
  | 'will'
  | 'publish'
  | 'subscribe'
  | 'acknowledgement'
  | 'unsubscribe'
  | 'disconnect'

interface Property {
  owners: readonly PropertyOwner[]
  check(cursor: Cursor): void
  isRepeatable?: true
}

const flag = (name: string) => (cursor: Cursor) => {
  if (readByte(cursor) > 1) throw protocolError(`The ${name} is neither 0 nor 1.`)
}
const positive = (name: string, read: (cursor: Cursor) => number) => (cursor: Cursor) => {
  if (read(cursor) === 0) throw protocolError(`The ${name} is 0.`)
}
const text = (name: string) => (cursor: Cursor) => skipText(cursor, name)

const everywhere = [
  'connect',
  'will',
  'publish',
  'subscribe',
  'acknowledgement',
  'unsubscribe',
  'disconnect',
] as const

/** The properties that a client may send, by their identifiers. */
const properties: Record<number, Property> = {
  0x01: { owners: ['publish', 'will'], check: flag('payload format indicator') },
  0x02: { owners: ['publish', 'will'], check: readUint32 },
  0x03: { owners: ['publish', 'will'], check: text('content type') },
  0x08: { owners: ['publish', 'will'], check: (cursor) => skipTopicName(cursor, 'response topic') },
  0x09: { owners: ['publish', 'will'], check: skipBinary },
  0x0b: { owners: ['subscribe'], check: positive('subscription identifier', readVariableInteger) },
  0x11: { owners: ['connect', 'disconnect'], check: readUint32 },
  0x15: { owners: ['connect'], check: text('authentication method') },
  0x16: { owners: ['connect'], check: skipBinary },
  0x17: { owners: ['connect'], check: flag('request problem information') },
  0x18: { owners: ['will'], check: readUint32 },
  0x19: { owners: ['connect'], check: flag('request response information') },
  0x1f: { owners: ['acknowledgement', 'disconnect'], check: text('reason string') },
  0x21: { owners: ['connect'], check: positive('receive maximum', readUint16) },
  0x22: { owners: ['connect'], check: readUint16 },
  0x23: { owners: ['publish'], check: readUint16 },
  0x26: {
    owners: everywhere,
    isRepeatable: true,
    check(cursor) {
      skipText(cursor, 'name of a user property')
      skipText(cursor, 'value of a user property')
    },
  },
  0x27: { owners: ['connect'], check: positive('maximum packet size', readUint32) },
}

const AUTHENTICATION_METHOD = 0x15
const AUTHENTICATION_DATA = 0x16
export const TOPIC_ALIAS = 0x23

/** @returns the identifiers of the properties, as a set of bits: bit n stands for the identifier n */
export function skipProperties(cursor: Cursor, owner: PropertyOwner): bigint {
  const length = readVariableInteger(cursor)
  if (length === 0) return 0n
  const end = cursor.at + length
  if (end > cursor.end) throw malformed('The properties are longer than their packet.')
  const inner: Cursor = { ...cursor, end }
  let seen = 0n
  while (inner.at < end) {
    const identifier = readVariableInteger(inner)
    const property = properties[identifier]
    if (!property?.owners.includes(owner))
      throw malformed(`The property ${identifier} is not allowed in this packet.`)
    const bit = 1n << BigInt(identifier)
    if (seen & bit && !property.isRepeatable) throw protocolError(`The property ${identifier} occurs twice.`)
    seen |= bit
    property.check(inner)
  }
  cursor.at = end
  if (has(seen, AUTHENTICATION_DATA) && !has(seen, AUTHENTICATION_METHOD))
    throw protocolError('There is authentication data without an authentication method.')
  return seen
}

export const has = (seen: bigint, identifier: number): boolean => (seen & (1n << BigInt(identifier))) !== 0n
