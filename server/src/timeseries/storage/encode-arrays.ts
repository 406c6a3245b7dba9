/** Writes arrays in PostgreSQL's binary format, which takes a fraction of the time of their text. */

interface ElementType<Value> {
  /** The object identifier of the element type. */
  type: number
  write: (bytes: Buffer, value: Value, at: number) => void
}

const HEAD_BYTES = 20
const ELEMENT_BYTES = 12
const IS_NULL = -1

function encode<Value>({ type, write }: ElementType<Value>, values: ArrayLike<Value | null>): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + values.length * ELEMENT_BYTES)
  let at = HEAD_BYTES
  let hasNulls = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!
    bytes.writeInt32BE(value === null ? IS_NULL : 8, at)
    at += 4
    if (value === null) {
      hasNulls = 1
      continue
    }
    write(bytes, value, at)
    at += 8
  }
  const dimensions = 1
  const lowerBound = 1
  ;[dimensions, hasNulls, type, values.length, lowerBound].forEach((int, index) =>
    bytes.writeInt32BE(int, index * 4),
  )
  return bytes.subarray(0, at)
}

const EPOCH_2000_MS = Date.UTC(2000, 0, 1)

function writeMicroseconds(bytes: Buffer, ms: number, at: number): void {
  const microseconds = (ms - EPOCH_2000_MS) * 1000
  // Microseconds of years far away exceed the safe integers.
  if (!Number.isSafeInteger(microseconds))
    return void bytes.writeBigInt64BE(BigInt(ms - EPOCH_2000_MS) * 1000n, at)
  const high = Math.floor(microseconds / 2 ** 32)
  bytes.writeInt32BE(high, at)
  bytes.writeUInt32BE(microseconds - high * 2 ** 32, at + 4)
}

/** @param times milliseconds since 1970 @returns `timestamptz[]` */
export const encodeTimes = (times: ArrayLike<number>): Buffer =>
  encode<number>(
    {
      type: 1184,
      write: writeMicroseconds,
    },
    times,
  )

/** @returns `int8[]` */
export const encodeBigInts = (numbers: ArrayLike<bigint>): Buffer =>
  encode<bigint>({ type: 20, write: (bytes, number, at) => void bytes.writeBigInt64BE(number, at) }, numbers)

/** @returns `float8[]` */
export const encodeDoubles = (numbers: ArrayLike<number | null>): Buffer =>
  encode<number>({ type: 701, write: (bytes, number, at) => void bytes.writeDoubleBE(number, at) }, numbers)
