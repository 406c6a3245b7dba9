/** Turns responses of timeseries queries into samples. */
import { createSamples, findState, type Samples, wrapSamples } from '../../charts/samples/samples.ts'

export interface Point {
  value: unknown
  timestamp: string
}

/** Numbers become a line, all other values a band of states. `null`, which stands for NaN in JSON, is left out. */
export function readSamples(points: Point[]): Samples {
  const known = points.filter(({ value }) => value !== null)
  return known.every(({ value }) => typeof value === 'number') ? readNumbers(known) : readStates(known)
}

function readNumbers(points: Point[]): Samples {
  const times = new Float64Array(points.length)
  const values = new Float64Array(points.length)
  for (const [index, { value, timestamp }] of points.entries()) {
    times[index] = readTime(timestamp)
    values[index] = value as number
  }
  return wrapSamples({ times, values })
}

function readStates(points: Point[]): Samples {
  const samples = createSamples({ capacity: Math.max(1, points.length), isState: true })
  for (const [index, { value, timestamp }] of points.entries()) {
    samples.times[index] = readTime(timestamp)
    samples.values[index] = findState(samples, writeState(value))
  }
  samples.length = points.length
  return samples
}

export const writeState = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** Joins the mean with the least and the greatest value of the same buckets, all of them numbers. */
export function joinEnvelope(mean: Samples, least: Samples, greatest: Samples): Samples {
  const { times, values } = mean
  const readValues = (other: Samples) => {
    const byTime = new Map(Array.from(other.times, (time, index) => [time, other.values[index]!]))
    return Float64Array.from(times, (time, index) => byTime.get(time) ?? values[index]!)
  }
  return wrapSamples({ times, values, least: readValues(least), greatest: readValues(greatest) })
}

/** A bucket counts as this many samples at most, so that a burst does not hide how few the others have. */
const MOST_COUNTED = 3

/**
 * The usual number of samples in a bucket: a sum divided by its mean is their number.
 *
 * @returns undefined if no bucket has a mean other than 0
 */
export function countPerBucket(mean: Samples, sum: Samples): number | undefined {
  const readSum = readByTime(sum)
  let [buckets, counted] = [0, 0]
  for (let index = 0; index < mean.length; index++) {
    const total = readSum(mean.times[index]!)
    if (mean.values[index] === 0 || typeof total !== 'number') continue
    buckets++
    counted += Math.min(MOST_COUNTED, Math.round(total / mean.values[index]!))
  }
  return buckets === 0 ? undefined : counted / buckets
}

/**
 * Marks the buckets in which there was more than one state, so that a short one is not hidden by the last one.
 * @param last the last state of each bucket
 * @param mean of the booleans: neither 0 nor 1 if both were there
 * @param least of the texts, as `greatest`
 */
export function joinStates(last: Samples, mean: Samples, least: Samples, greatest: Samples): Samples {
  const readMean = readByTime(mean)
  const [readLeast, readGreatest] = [readByTime(least), readByTime(greatest)]
  for (let index = 0; index < last.length; index++) {
    const time = last.times[index]!
    const [share, from, to] = [readMean(time), readLeast(time), readGreatest(time)]
    if (typeof from === 'string' && typeof to === 'string' && from !== to)
      last.values[index] = findState(last, `${from} … ${to}`)
    else if (typeof share === 'number' && share > 0 && share < 1 && isBoolean(last, index))
      last.values[index] = findState(last, 'false … true')
  }
  return last
}

const isBoolean = ({ states, values }: Samples, index: number) =>
  ['true', 'false'].includes(states![values[index]!]!)

function readByTime({ times, values, length, states }: Samples) {
  const indexes = new Map(Array.from(times.subarray(0, length), (time, index) => [time, index]))
  return (time: number): number | string | undefined => {
    const index = indexes.get(time)
    if (index === undefined) return undefined
    return states === null ? values[index] : states[values[index]!]
  }
}

const DAY_MS = 86_400_000
/** The length of the server's times; those of years with more than four digits are longer. */
export const TIME_LENGTH = '2026-11-22T08:00:00.000Z'.length

const readTime = (text: string) => (text.length === TIME_LENGTH ? parseTime(text, 0) : Date.parse(text))

/**
 * Parses the fixed format of the server's times, since `Date.parse` would take half of the time of reading a response.
 * @param from position of the time in the text
 */
export function parseTime(text: string, from: number): number {
  const one = (at: number) => text.charCodeAt(from + at) - 48
  const two = (at: number) => one(at) * 10 + one(at + 1)
  return (
    countDays(two(0) * 100 + two(2), two(5), two(8)) * DAY_MS +
    two(11) * 3_600_000 +
    two(14) * 60_000 +
    two(17) * 1000 +
    two(20) * 10 +
    one(22)
  )
}

/** Days from 1970-01-01 to a date of the Gregorian calendar. */
function countDays(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719_468
  )
}
