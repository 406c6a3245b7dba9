/**
 * Parses the telemetry object in CBOR (RFC 8949). Types that JSON lacks are converted: byte strings become base64, big
 * numbers the nearest double, times (tag 1) ISO 8601, and integer keys text. `undefined` means that nothing was
 * measured, like null.
 */
import { decode, type TagDecoder } from 'cborg'
import { isStorableTime } from '../../timeseries/timestamp.ts'
import { MAX_JSON_DEPTH } from '../../lib/json-limits.ts'
import { printable, tooManyParts } from '../json-object.ts'
import { UnreadableError } from '../unreadable.ts'
import { countCborParts } from './count-cbor-parts.ts'
import { noOptions } from './no-options.ts'
import { format, type Reading } from './parser.ts'
import { readObject } from './read-object.ts'

/** Half as many as of JSON, since each takes about twice as long to decode. */
const MAX_PARTS = 32_000

export const cbor = format({
  options: noOptions,
  // {"a": [1, {"b": "c"}], "t": -5}
  example: { payload: Buffer.from('a2616182 01 a161626163 6174 24'.replaceAll(' ', ''), 'hex') },
  compile: () => parseCbor,
})

function parseCbor(payload: Buffer): Reading[] {
  if (countCborParts(payload) > MAX_PARTS) throw tooManyParts(MAX_PARTS)
  const message = decoded(payload)
  if (!(message instanceof Map))
    throw new UnreadableError('not_an_object', 'The payload must be one CBOR map of names and values.')
  return [readObject(convertMap(message, 0))]
}

function decoded(payload: Buffer): unknown {
  try {
    return decode(payload, { useMaps: true, rejectDuplicateMapKeys: true, tags })
  } catch (error) {
    if (error instanceof UnreadableError) throw error
    // Only the stack limits the nesting depth of the decoder.
    if (error instanceof RangeError) throw tooDeep()
    throw badCbor(printable((error as Error).message))
  }
}

const badCbor = (text: string) =>
  new UnreadableError('bad_format', `The payload is not readable CBOR: ${text}.`)
const tooDeep = () =>
  new UnreadableError('bad_value', `The payload nests deeper than ${MAX_JSON_DEPTH} levels.`)

function convertValue(value: unknown, depth: number): unknown {
  if (depth > MAX_JSON_DEPTH) throw tooDeep()
  if (value === undefined) return null
  if (typeof value === 'string') return checkText(value)
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Map) return convertMap(value, depth + 1)
  if (Array.isArray(value)) return value.map((item) => convertValue(item, depth + 1))
  return value
}

function convertMap(map: Map<unknown, unknown>, depth: number): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const [key, value] of map) {
    const name = convertKey(key)
    if (Object.hasOwn(object, name)) throw badCbor('a map has a key twice, as a number and as text')
    define(object, name, convertValue(value, depth))
  }
  return object
}

/** An assigned `__proto__` would not become a property. */
function define(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  else object[name] = value
}

/** The decoder replaces bytes that are not UTF-8 with the replacement character. */
function checkText(text: string): string {
  if (text.includes('\uFFFD')) throw new UnreadableError('bad_value', 'A text of the payload is not UTF-8.')
  return text
}

function convertKey(key: unknown): string {
  if (typeof key === 'string') return checkText(key)
  if (typeof key === 'bigint' || Number.isInteger(key)) return String(key)
  throw badCbor('a map has a key that is neither text nor an integer')
}

/** Decoders by tag number [RFC 8949, 3.4]. Other tags are refused. */
const tags: Record<number, TagDecoder> = {
  0: (content) => content(),
  1: (content) => formatTime(requireNumber(content())),
  2: (content) => bignum(content()),
  3: (content) => -1 - bignum(content()),
  4: (content) => decimalFraction(content()),
  55799: (content) => content(),
}

function formatTime(seconds: number): string {
  const ms = Math.round(seconds * 1000)
  if (!isStorableTime(ms))
    throw new UnreadableError('bad_timestamp', 'A time (tag 1) is not one of the years 1 to 9999.')
  return new Date(ms).toISOString()
}

/** Returns the nearest double. Numbers beyond the range become infinite, which is refused for every signal. */
function bignum(bytes: unknown): number {
  if (!(bytes instanceof Uint8Array)) throw badCbor('a big number (tags 2 and 3) must be a byte string')
  return bytes.length > 128 ? Infinity : Number(BigInt(`0x0${Buffer.from(bytes).toString('hex')}`))
}

function decimalFraction(content: unknown): number {
  const [exponent, mantissa] = Array.isArray(content) && content.length === 2 ? (content as unknown[]) : []
  return Number(`${requireInteger(mantissa)}e${requireInteger(exponent)}`)
}

function requireInteger(value: unknown): number | bigint {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return value
  throw badCbor('a decimal fraction (tag 4) must be an array of two integers')
}

function requireNumber(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value)
  throw badCbor('a time (tag 1) must be a number')
}
