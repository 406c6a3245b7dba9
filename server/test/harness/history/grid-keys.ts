/** Assigns times to buckets by a key that all times of a bucket share. */
import { parseDuration } from '../../../src/lib/duration.ts'
import { convertDuration, type Interval } from '../../../src/timeseries/query/interval.ts'

const DAY_MS = 86_400_000
/** 1970-01-05, counted in days since 1970. */
const FIRST_MONDAY = 4

export interface Grid {
  /** ISO 8601; empty for one bucket. */
  text: string
  timeZone: string
}

export const grids: Grid[] = [
  { text: '', timeZone: 'UTC' },
  ...['PT0.002S', 'PT5M', 'PT7M', 'PT1H', 'PT6H', 'PT7H', 'P1W', 'P1M'].map((text) => ({
    text,
    timeZone: 'UTC',
  })),
  ...['P1D', 'P1W', 'P1M', 'P3M'].map((text) => ({ text, timeZone: 'Europe/Zurich' })),
  { text: 'P1D', timeZone: 'Asia/Kolkata' },
]

export function createKey({ text, timeZone }: Grid): (ms: number) => number {
  if (text === '') return () => 0
  const { unit, count } = readInterval(text)
  if (unit === 'ms') return (ms) => Math.floor(ms / count)
  const readLocal = createDateReader(timeZone)
  if (unit === 'days') return (ms) => Math.floor((readLocal(ms).day - FIRST_MONDAY) / count)
  return (ms) => Math.floor(readLocal(ms).month / count)
}

function readInterval(text: string): Interval {
  const parsed = parseDuration(text)
  const read = 'problem' in parsed ? parsed : convertDuration(parsed.duration)
  if ('problem' in read) throw new Error(`${text} ${read.problem}`)
  return read.interval
}

interface LocalDate {
  /** Since 1970. */
  day: number
  /** Since the year 0. */
  month: number
}

function createDateReader(timeZone: string): (ms: number) => LocalDate {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  })
  const known = new Map<number, LocalDate>()
  return (ms) => {
    const date = known.get(ms) ?? readDate(format, ms)
    known.set(ms, date)
    return date
  }
}

function readDate(format: Intl.DateTimeFormat, ms: number): LocalDate {
  const [month, day, year] = format.format(ms).split('/').map(Number) as [number, number, number]
  // `Date.UTC` would read the year 1 as 1901.
  return { day: new Date(0).setUTCFullYear(year, month - 1, day) / DAY_MS, month: year * 12 + month - 1 }
}
