/** Aggregates of the numbers of one series, in buckets of one length. [docs/telemetry#rollups] */
import type { Column } from './column.ts'
import { findDecimals } from './numbers.ts'

export interface RolledUp {
  /** Start of the bucket in milliseconds since 1970. */
  startMs: number
  count: number
  /** The exact sum is `sum` + `remainder`. */
  sum: number
  remainder: number
  first: number
  min: number
  max: number
  last: number
}

/** The numbers of one bucket, as indexes. */
export interface BucketRange {
  startMs: number
  from: number
  /** Excluded. */
  to: number
}

/**
 * @param times of all rows, in ascending order
 * @param numberRows rows that have a number
 * @returns the buckets that have numbers
 */
export function divideIntoBuckets(
  times: Float64Array,
  numberRows: Uint32Array,
  lengthMs: number,
): BucketRange[] {
  const ranges: BucketRange[] = []
  let untilMs = -Infinity
  for (let index = 0; index < numberRows.length; index++) {
    const timeMs = times[numberRows[index]!]!
    if (timeMs < untilMs) continue
    const startMs = Math.floor(timeMs / lengthMs) * lengthMs
    untilMs = startMs + lengthMs
    if (ranges.length > 0) ranges.at(-1)!.to = index
    ranges.push({ startMs, from: index, to: numberRows.length })
  }
  return ranges
}

/** @returns undefined if a sum needs more than two doubles */
export function rollUp({ numbers }: Pick<Column, 'numbers'>, ranges: BucketRange[]): RolledUp[] | undefined {
  const buckets: RolledUp[] = []
  for (const range of ranges) {
    const bucket = rollUpRange(numbers, range)
    if (!bucket) return undefined
    buckets.push(bucket)
  }
  const decimals = findDecimals(listValues(buckets))
  return buckets.every((bucket) => splitSum(bucket, decimals)) ? buckets : undefined
}

/** As `rollUp`, but each sum is rounded to a double. @returns the buckets whose sum is finite */
export const rollUpRounded = ({ numbers }: Pick<Column, 'numbers'>, ranges: BucketRange[]): RolledUp[] =>
  ranges.flatMap((range) => {
    const ofRange = numbers.subarray(range.from, range.to)
    const bucket: RolledUp = {
      startMs: range.startMs,
      count: ofRange.length,
      sum: 0,
      remainder: 0,
      first: ofRange[0]!,
      min: Infinity,
      max: -Infinity,
      last: ofRange.at(-1)!,
    }
    let rest = 0
    for (const number of ofRange) {
      const total = bucket.sum + number
      rest += findError(bucket.sum, number, total)
      bucket.sum = total
      if (number <= bucket.min) bucket.min = number
      if (number >= bucket.max) bucket.max = number
    }
    bucket.sum += rest
    return Number.isFinite(bucket.sum) ? [bucket] : []
  })

/** Local variables are several times faster than fields of an object. */
function rollUpRange(numbers: Float64Array, { startMs, from, to }: BucketRange): RolledUp | undefined {
  const first = numbers[from]!
  let [sum, remainder, min, max] = [first, 0, first, first]
  for (let index = from + 1; index < to; index++) {
    const number = numbers[index]!
    // Of two equal numbers the later one counts, as in other queries: 0 and -0 are equal.
    if (number <= min) min = number
    if (number >= max) max = number
    const total = sum + number
    const error = findError(sum, number, total)
    const errors = remainder + error
    if (findError(remainder, error, errors) !== 0) return undefined
    sum = total
    remainder = errors
  }
  return { startMs, count: to - from, sum, remainder, first, min, max, last: numbers[to - 1]! }
}

/**
 * Joins the buckets of one series and length, in time order. Samples of one bucket may be in both lists.
 * @param added begins with or after the last bucket of `known`
 * @returns undefined if the sum of the bucket in both needs more than two doubles
 */
export function joinRollups(known: RolledUp[], added: RolledUp[]): RolledUp[] | undefined {
  const [last, next] = [known.at(-1), added[0]]
  if (last === undefined || next === undefined || next.startMs > last.startMs) return [...known, ...added]
  const bucket = joinBuckets(last, next)
  return bucket && [...known.slice(0, -1), bucket, ...added.slice(1)]
}

function joinBuckets(a: RolledUp, b: RolledUp): RolledUp | undefined {
  const sum = a.sum + b.sum
  const remainders = a.remainder + b.remainder
  const error = findError(a.sum, b.sum, sum)
  const remainder = error + remainders
  const isExact =
    findError(a.remainder, b.remainder, remainders) === 0 && findError(error, remainders, remainder) === 0
  if (!isExact) return undefined
  const bucket: RolledUp = {
    startMs: a.startMs,
    count: a.count + b.count,
    sum,
    remainder,
    first: a.first,
    min: b.min <= a.min ? b.min : a.min,
    max: b.max >= a.max ? b.max : a.max,
    last: b.last,
  }
  return splitSum(bucket, findDecimals(listValues([a, b]))) ? bucket : undefined
}

/** @returns a + b - total, exactly; NaN if the total is infinite */
function findError(a: number, b: number, total: number): number {
  const part = total - a
  return a - (total - part) + (b - part)
}

/**
 * Changes the sum to one near a decimal, with a remainder of few bits: these take less space.
 * @returns whether the sum is still exact
 */
function splitSum(bucket: RolledUp, decimals: number | undefined): boolean {
  const { sum, remainder } = bucket
  if (sum === 0 && remainder === 0) return true
  const nearest = sum + remainder
  const power = 10 ** (decimals ?? 0)
  // Adding zero removes its sign, which no decimal has.
  const rounded = Math.round(nearest * power) / power + 0
  const rest = decimals === undefined ? undefined : subtractExactly(bucket, rounded)
  bucket.sum = rest === undefined ? nearest : rounded
  bucket.remainder = (rest ?? findError(sum, remainder, nearest)) + 0
  return Number.isFinite(bucket.remainder)
}

/** @returns the difference to the sum, or undefined if it is not a double */
function subtractExactly(
  { sum, remainder }: Pick<RolledUp, 'sum' | 'remainder'>,
  number: number,
): number | undefined {
  const high = sum - number
  const errorOfHigh = findError(sum, -number, high)
  const low = errorOfHigh + remainder
  const difference = high + low
  const isExact = findError(errorOfHigh, remainder, low) === 0 && findError(high, low, difference) === 0
  return isExact ? difference : undefined
}

/** Lists the first, least, largest and last number of each bucket: in this order neighbours differ least. */
export function listValues(buckets: RolledUp[]): Float64Array {
  const values = new Float64Array(buckets.length * 4)
  let at = 0
  for (const { first, min, max, last } of buckets) {
    values[at++] = first
    values[at++] = min
    values[at++] = max
    values[at++] = last
  }
  return values
}
