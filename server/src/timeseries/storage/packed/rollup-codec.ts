/** Packs the buckets of one series without loss. [docs/telemetry#rollups] */
import { inflateRawSync } from 'node:zlib'
import { decodeNumbers, deflateNumbers, encodeNumbers } from './numbers.ts'
import { listValues, type RolledUp } from './rollup.ts'
import {
  createByteWriter,
  readSigned,
  readUnsigned,
  writeSigned,
  writeUnsigned,
  writtenBytes,
} from './varint.ts'

/** @returns undefined if the remainders cannot be packed without loss */
export function packRollups(buckets: RolledUp[], lengthMs: number): Buffer | undefined {
  const list = (read: (bucket: RolledUp) => number) => {
    const values = new Float64Array(buckets.length)
    for (let index = 0; index < buckets.length; index++) values[index] = read(buckets[index]!)
    return values
  }
  const scaled = scaleToIntegers(list(({ remainder }) => remainder))
  if (!scaled) return undefined
  const writer = createByteWriter()
  writeUnsigned(writer, buckets.length)
  writeSigned(writer, scaled.exponent)
  const columns = [
    list(({ startMs }) => startMs / lengthMs),
    list(({ count }) => count),
    listValues(buckets),
    list(({ sum }) => sum),
    scaled.integers,
  ].map(encodeNumbers)
  for (const { form, bytes } of columns) {
    writeUnsigned(writer, form)
    writeUnsigned(writer, bytes.length)
  }
  return deflateNumbers(Buffer.concat([writtenBytes(writer), ...columns.map(({ bytes }) => bytes)]))
}

/** Larger differences of magnitude do not occur in usual remainders. */
const MAX_BITS = 100

/** Divides numbers by a power of two. @returns undefined if no power makes all of them integers */
function scaleToIntegers(numbers: Float64Array): { exponent: number; integers: Float64Array } | undefined {
  let least = Infinity
  for (const number of numbers) if (number !== 0) least = Math.min(least, Math.abs(number))
  if (least === Infinity) return { exponent: 0, integers: numbers }
  const start = Math.floor(Math.log2(least))
  for (let exponent = start; exponent > start - MAX_BITS; exponent--) {
    const unit = 2 ** exponent
    const integers = numbers.map((number) => number / unit)
    if (!integers.every(Number.isInteger)) continue
    const isExact = integers.every((integer, index) => integer * unit === numbers[index])
    return isExact ? { exponent, integers } : undefined
  }
  return undefined
}

/** Number of values of a bucket in each packed column. */
const WIDTHS = [1, 1, 4, 1, 1]

export function unpackRollups(packed: Uint8Array, lengthMs: number): RolledUp[] {
  const bytes = inflateRawSync(packed)
  const reader = { bytes, at: 0 }
  const count = readUnsigned(reader)
  const unit = 2 ** readSigned(reader)
  const heads = WIDTHS.map((width) => ({ width, form: readUnsigned(reader), length: readUnsigned(reader) }))
  const [starts, counts, values, sums, remainders] = heads.map(({ width, form, length }) => {
    const encoded = bytes.subarray(reader.at, (reader.at += length))
    return decodeNumbers({ form, bytes: encoded }, count * width)
  }) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array]
  return Array.from({ length: count }, (_, index) => ({
    startMs: starts[index]! * lengthMs,
    count: counts[index]!,
    sum: sums[index]!,
    remainder: remainders[index]! * unit,
    first: values[index * 4]!,
    min: values[index * 4 + 1]!,
    max: values[index * 4 + 2]!,
    last: values[index * 4 + 3]!,
  }))
}
