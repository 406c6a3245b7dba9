/**
 * Packs numbers without loss. Most sensors report decimals with few digits: these are scaled to integers, and their
 * differences are stored. Other numbers are stored by their bytes, with bytes of equal significance together, because
 * neighbours share the significant ones. Both forms are deflated.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { createByteWriter, MAX_SIGNED, readSigned, writeSigned, writtenBytes } from './varint.ts'

/** Numbers with up to 9 decimals are scaled to integers; the first byte is the number of decimals. */
const MAX_DECIMALS = 9
const FLOATS = 0x20
const DOUBLES = 0x21
/** The difference of two integers must fit `writeSigned`. */
const MAX_WHOLE = MAX_SIGNED / 2

export function packNumbers(values: Float64Array): Buffer {
  const { form, bytes } = encodeNumbers(values)
  return Buffer.concat([Buffer.of(form), deflateRawSync(bytes)])
}

/** @param count the number of packed values */
export const unpackNumbers = (packed: Uint8Array, count: number): Float64Array =>
  decodeNumbers({ form: packed[0]!, bytes: inflateRawSync(packed.subarray(1)) }, count)

/** Numbers that are not deflated yet. */
export interface EncodedNumbers {
  /** One byte. */
  form: number
  bytes: Uint8Array
}

export function encodeNumbers(values: Float64Array): EncodedNumbers {
  const decimals = findDecimals(values)
  if (decimals !== undefined) return encodeDecimals(values, decimals)
  return values.every(isFloat) ? encodeBytes(FLOATS, Float32Array.from(values)) : encodeBytes(DOUBLES, values)
}

/** @param count the number of encoded values */
export function decodeNumbers({ form, bytes }: EncodedNumbers, count: number): Float64Array {
  if (form === DOUBLES) return new Float64Array(joinPlanes(bytes, count, 8))
  if (form === FLOATS) return Float64Array.from(new Float32Array(joinPlanes(bytes, count, 4)))
  return decodeDecimals(bytes, count, form)
}

/** @returns the least number of decimals with which all values are exact, or undefined if there is none */
export function findDecimals(values: Float64Array): number | undefined {
  let decimals = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!
    while (!isExact(value, decimals)) if (++decimals > MAX_DECIMALS) return undefined
  }
  // A later value may have increased the number of decimals beyond what an earlier large value allows.
  return values.every((value) => isExact(value, decimals)) ? decimals : undefined
}

const POWERS = Array.from({ length: MAX_DECIMALS + 1 }, (_, decimals) => 10 ** decimals)

function isExact(value: number, decimals: number): boolean {
  const power = POWERS[decimals]!
  const whole = Math.round(value * power)
  // Object.is rejects -0, whose sign a difference would lose; infinities and NaN exceed the bound.
  return Math.abs(whole) <= MAX_WHOLE && Object.is((whole + 0) / power, value)
}

function encodeDecimals(values: Float64Array, decimals: number): EncodedNumbers {
  const power = POWERS[decimals]!
  const writer = createByteWriter(values.length * 2)
  let previous = 0
  for (let index = 0; index < values.length; index++) {
    const whole = Math.round(values[index]! * power)
    writeSigned(writer, whole - previous)
    previous = whole
  }
  return { form: decimals, bytes: writtenBytes(writer) }
}

function decodeDecimals(bytes: Uint8Array, count: number, decimals: number): Float64Array {
  const power = POWERS[decimals]!
  const reader = { bytes, at: 0 }
  const values = new Float64Array(count)
  let whole = 0
  for (let index = 0; index < count; index++) {
    whole += readSigned(reader)
    values[index] = whole / power
  }
  return values
}

const isFloat = (value: number) => Object.is(Math.fround(value), value)

function encodeBytes(form: number, values: Float32Array | Float64Array): EncodedNumbers {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  const width = values.BYTES_PER_ELEMENT
  return { form, bytes: splitPlanes(bytes, values.length, width) }
}

/**
 * Stores the first bytes of all values together, then the second ones, and so on. Each byte is the difference to that
 * of the previous value.
 */
function splitPlanes(bytes: Uint8Array, count: number, width: number): Uint8Array {
  const planes = new Uint8Array(bytes.length)
  for (let plane = 0; plane < width; plane++) {
    let previous = 0
    for (let index = 0; index < count; index++) {
      const byte = bytes[index * width + plane]!
      planes[plane * count + index] = byte ^ previous
      previous = byte
    }
  }
  return planes
}

function joinPlanes(planes: Uint8Array, count: number, width: number): ArrayBuffer {
  const bytes = new Uint8Array(count * width)
  for (let plane = 0; plane < width; plane++) {
    let previous = 0
    for (let index = 0; index < count; index++) {
      previous ^= planes[plane * count + index]!
      bytes[index * width + plane] = previous
    }
  }
  return bytes.buffer
}
