/** Parses arrays without nulls in PostgreSQL's binary format, as written by `array_send`. */

const HEAD_BYTES = 20
const ELEMENT_BYTES = 12
/** The length before each element. */
const LENGTH_BYTES = 4

/** An empty array has no dimension. */
const countElements = (bytes: Buffer) => (bytes.readInt32BE(0) === 0 ? 0 : bytes.readInt32BE(12))

export function readDoubles(bytes: Buffer): Float64Array {
  const numbers = new Float64Array(countElements(bytes))
  for (let index = 0; index < numbers.length; index++)
    numbers[index] = bytes.readDoubleBE(HEAD_BYTES + index * ELEMENT_BYTES + LENGTH_BYTES)
  return numbers
}

export function readBigInts(bytes: Buffer): BigInt64Array {
  const numbers = new BigInt64Array(countElements(bytes))
  for (let index = 0; index < numbers.length; index++)
    numbers[index] = bytes.readBigInt64BE(HEAD_BYTES + index * ELEMENT_BYTES + LENGTH_BYTES)
  return numbers
}
