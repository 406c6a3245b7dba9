/** Parses arrays without nulls in PostgreSQL's binary format, as written by `array_send`. */

const HEAD_BYTES = 20
const ELEMENT_BYTES = 12
/** The length before each element. */
const LENGTH_BYTES = 4

/** An empty array has no dimension. */
const countElements = (bytes: Buffer) => (bytes.readInt32BE(0) === 0 ? 0 : bytes.readInt32BE(12))

/** @param bytes `float8[]` */
export function readDoubles(bytes: Buffer): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const numbers = new Float64Array(countElements(bytes))
  for (let index = 0; index < numbers.length; index++)
    numbers[index] = view.getFloat64(HEAD_BYTES + index * ELEMENT_BYTES + LENGTH_BYTES)
  return numbers
}

const EPOCH_2000_MS = Date.UTC(2000, 0, 1)
const MICROSECONDS = 1000

/** @param bytes `timestamptz(3)[]` @returns milliseconds since 1970 */
export function readTimes(bytes: Buffer): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const times = new Float64Array(countElements(bytes))
  for (let index = 0; index < times.length; index++) {
    const at = HEAD_BYTES + index * ELEMENT_BYTES + LENGTH_BYTES
    const microseconds = view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4)
    // Those of years far away are not exact, but near the whole millisecond.
    times[index] = EPOCH_2000_MS + Math.round(microseconds / MICROSECONDS)
  }
  return times
}

/** @param bytes `int8[]` */
export function readBigInts(bytes: Buffer): BigInt64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const numbers = new BigInt64Array(countElements(bytes))
  for (let index = 0; index < numbers.length; index++)
    numbers[index] = view.getBigInt64(HEAD_BYTES + index * ELEMENT_BYTES + LENGTH_BYTES)
  return numbers
}
