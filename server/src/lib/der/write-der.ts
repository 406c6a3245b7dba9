/** Writes DER, the binary encoding of certificates. Libraries take milliseconds for a certificate, this takes microseconds. */

const SEQUENCE = 0x30
const SET = 0x31

/** @param tag one byte: class, constructed bit and a number up to 30 */
export function tagged(tag: number, ...parts: Uint8Array[]): Buffer {
  let length = 0
  for (const part of parts) length += part.length
  const digits = length < 0x80 ? 0 : countDigits(length)
  const bytes = Buffer.allocUnsafe(2 + digits + length)
  bytes[0] = tag
  if (digits === 0) bytes[1] = length
  else {
    bytes[1] = 0x80 | digits
    bytes.writeUIntBE(length, 2, digits)
  }
  let offset = 2 + digits
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}

/** Bytes that a length takes. */
function countDigits(length: number): number {
  if (length < 0x100) return 1
  if (length < 0x10000) return 2
  return length < 0x1000000 ? 3 : 4
}

export const sequence = (...parts: Uint8Array[]): Buffer => tagged(SEQUENCE, ...parts)
export const set = (...parts: Uint8Array[]): Buffer => tagged(SET, ...parts)
export const octetString = (value: Uint8Array): Buffer => tagged(0x04, value)
export const utf8String = (value: string): Buffer => tagged(0x0c, Buffer.from(value))
export const booleanTrue = (): Buffer => Buffer.of(0x01, 0x01, 0xff)
/** Explicit tag `[number]`. */
export const explicit = (number: number, value: Uint8Array): Buffer => tagged(0xa0 | number, value)

/** @param unusedBits at the end of the last byte */
export const bitString = (value: Uint8Array, unusedBits = 0): Buffer =>
  tagged(0x03, Buffer.of(unusedBits), value)

/** @param value big-endian and not negative */
export function integer(value: Uint8Array): Buffer {
  let start = 0
  while (start < value.length - 1 && value[start] === 0) start++
  const digits = value.subarray(start)
  return digits[0]! & 0x80 ? tagged(0x02, Buffer.of(0), digits) : tagged(0x02, digits)
}

export const smallInteger = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return integer(bytes)
}

/** @param dotted such as `2.5.29.19` */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}

/** UTCTime until 2049, GeneralizedTime from 2050, as certificates require. Milliseconds are cut off. */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`
  return date.getUTCFullYear() < 2050
    ? tagged(0x17, Buffer.from(digits.slice(2)))
    : tagged(0x18, Buffer.from(digits))
}
