/** Writes arrays in PostgreSQL's binary format, which takes a fraction of the time of their text. */

const HEAD_BYTES = 20
const LENGTH_BYTES = 4
const IS_NULL = -1

interface ElementType<Value> {
  /** The object identifier of the element type. */
  type: number
  bytes: number
  write: (bytes: Buffer, value: Value, at: number) => void
}

function encode<Value>(element: ElementType<Value>, values: ArrayLike<Value | null>): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + values.length * (LENGTH_BYTES + element.bytes))
  let at = HEAD_BYTES
  let hasNulls = false
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!
    bytes.writeInt32BE(value === null ? IS_NULL : element.bytes, at)
    at += LENGTH_BYTES
    if (value === null) {
      hasNulls = true
      continue
    }
    element.write(bytes, value, at)
    at += element.bytes
  }
  writeHead(bytes, { type: element.type, count: values.length, hasNulls })
  return bytes.subarray(0, at)
}

interface Head {
  type: number
  count: number
  hasNulls: boolean
}

function writeHead(bytes: Buffer, { type, count, hasNulls }: Head): void {
  const dimensions = 1
  const lowerBound = 1
  ;[dimensions, hasNulls ? 1 : 0, type, count, lowerBound].forEach((int, index) =>
    bytes.writeInt32BE(int, index * 4),
  )
}

const EPOCH_2000_MS = Date.UTC(2000, 0, 1)

function writeMicroseconds(bytes: Buffer, ms: number, at: number): void {
  if (ms === Infinity) return void bytes.writeBigInt64BE(2n ** 63n - 1n, at)
  if (ms === -Infinity) return void bytes.writeBigInt64BE(-(2n ** 63n), at)
  const microseconds = (ms - EPOCH_2000_MS) * 1000
  // Microseconds of years far away exceed the safe integers.
  if (!Number.isSafeInteger(microseconds))
    return void bytes.writeBigInt64BE(BigInt(ms - EPOCH_2000_MS) * 1000n, at)
  const high = Math.floor(microseconds / 2 ** 32)
  bytes.writeInt32BE(high, at)
  bytes.writeUInt32BE(microseconds - high * 2 ** 32, at + 4)
}

/** @param times whole milliseconds since 1970, or infinite @returns `timestamptz[]` */
export const encodeTimes = (times: ArrayLike<number>): Buffer =>
  encode<number>({ type: 1184, bytes: 8, write: writeMicroseconds }, times)

/** @returns `int4[]` */
export const encodeInts = (numbers: ArrayLike<number>): Buffer =>
  encode<number>(
    { type: 23, bytes: 4, write: (bytes, number, at) => void bytes.writeInt32BE(number, at) },
    numbers,
  )

/** @returns `int8[]` */
export const encodeBigInts = (numbers: ArrayLike<bigint>): Buffer =>
  encode<bigint>(
    { type: 20, bytes: 8, write: (bytes, number, at) => void bytes.writeBigInt64BE(number, at) },
    numbers,
  )

/** @returns `float8[]` */
export const encodeDoubles = (numbers: ArrayLike<number | null>): Buffer =>
  encode<number>(
    { type: 701, bytes: 8, write: (bytes, number, at) => void bytes.writeDoubleBE(number, at) },
    numbers,
  )

const TEXT = 25
/** A UTF-16 unit has at most three bytes in UTF-8. */
const MAX_UNIT_BYTES = 3

/** @returns `text[]` */
export function encodeTexts(texts: string[]): Buffer {
  const units = texts.reduce((sum, { length }) => sum + length, 0)
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + texts.length * LENGTH_BYTES + units * MAX_UNIT_BYTES)
  let at = HEAD_BYTES
  for (const text of texts) {
    const length = bytes.write(text, at + LENGTH_BYTES)
    bytes.writeInt32BE(length, at)
    at += LENGTH_BYTES + length
  }
  writeHead(bytes, { type: TEXT, count: texts.length, hasNulls: false })
  return bytes.subarray(0, at)
}
