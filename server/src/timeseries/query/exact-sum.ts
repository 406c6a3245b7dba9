/**
 * Exact sums that are rounded once, so that a result depends neither on the order of the numbers nor on their storage.
 * A sum is a list of doubles that do not overlap (Shewchuk's expansion). [docs/telemetry#aggregations]
 */
export type ExactSum = number[]

/**
 * Adds a number. Both the number and the sum must be far below the largest double, since intermediate results must not
 * overflow.
 */
export function addExactly(sum: ExactSum, number: number): void {
  let high = number
  let count = 0
  for (let index = 0; index < sum.length; index++) {
    const low = sum[index]!
    const total = high + low
    const error = Math.abs(high) < Math.abs(low) ? high - (total - low) : low - (total - high)
    if (error !== 0) sum[count++] = error
    high = total
  }
  if (high !== 0 || count === 0) sum[count++] = high
  if (sum.length > count) sum.length = count
}

/** @returns the double nearest to the sum */
export function roundSum(sum: ExactSum): number {
  let index = sum.length - 1
  let high = sum[index] ?? 0
  let error = 0
  while (index > 0 && error === 0) {
    const before = high
    const low = sum[--index]!
    high = before + low
    error = low - (high - before)
  }
  // If the remainder is exactly half a unit, the smaller parts decide the rounding.
  const next = sum[index - 1]
  if (next !== undefined && error !== 0 && error < 0 === next < 0) {
    const doubled = error * 2
    const rounded = high + doubled
    if (doubled === rounded - high) high = rounded
  }
  return high
}

/** Every double is an integer multiple of 2^-1074. */
const FRACTION_BITS = 1074n

/** Computes a sum of any size as a multiple of 2^-1074. It is slow and needed only for the largest doubles. */
export const sumWhole = (numbers: ArrayLike<number>): bigint => {
  let sum = 0n
  for (let index = 0; index < numbers.length; index++) sum += toWhole(numbers[index]!)
  return sum
}

function toWhole(number: number): bigint {
  const bytes = new DataView(new ArrayBuffer(8))
  bytes.setFloat64(0, number)
  const bits = bytes.getBigUint64(0)
  const exponent = (bits >> 52n) & 0x7ffn
  const fraction = bits & 0xfffffffffffffn
  const size = exponent === 0n ? fraction : (fraction | 0x10000000000000n) << (exponent - 1n)
  return number < 0 ? -size : size
}

/** @param whole a multiple of 2^-1074 @returns the nearest double, or infinity */
export function roundWhole(whole: bigint): number {
  const size = whole < 0n ? -whole : whole
  const shift = Math.max(0, size.toString(2).length - 64)
  const kept = size >> BigInt(shift)
  // A sticky bit represents the truncated digits, which decide the rounding of a half.
  const sticky = kept << BigInt(shift) === size ? kept : kept | 1n
  const result = Number(sticky) * 2 ** (shift - Number(FRACTION_BITS))
  return whole < 0n ? -result : result
}

/** @returns the digits of a number beyond the largest double */
export const formatWhole = (whole: bigint): string => {
  const digits = ((whole < 0n ? -whole : whole) >> FRACTION_BITS).toString()
  return whole < 0n ? `-${digits}` : digits
}
