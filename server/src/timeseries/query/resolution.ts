/** Chooses the interval of `resolution: "auto"`. [docs/telemetry#resolution] */
import { parseDuration } from '../../lib/duration.ts'
import { DAY_MS } from '../storage/partition-names.ts'
import { convertDuration, type Interval } from './interval.ts'

/** Intervals in ascending order. */
const CHOICES =
  'PT0.001S PT0.01S PT0.1S PT1S PT5S PT10S PT15S PT30S PT1M PT2M PT5M PT10M PT15M PT30M PT1H PT2H PT3H PT6H PT12H P1D P1W P1M P3M P1Y P10Y P100Y P1000Y'

const SHORTEST_MONTH_MS = 28 * DAY_MS

interface ChosenInterval {
  /** Undefined if the whole span is one bucket. */
  interval: Interval | undefined
  /** ISO 8601; empty without an interval. */
  text: string
}

/**
 * Chooses the shortest interval for which the span has at most `maxPoints` buckets in every time zone.
 * @param isRolledUp whether rollups of half hours may be all that is left of a part of the span
 */
export function chooseInterval(span: {
  from: number
  to: number
  maxPoints: number
  isRolledUp?: boolean
}): ChosenInterval {
  const choices = CHOICES.split(' ')
  for (const text of span.isRolledUp ? choices.slice(choices.indexOf('PT30M')) : choices) {
    const interval = readInterval(text)
    if (countBuckets(interval, span) <= span.maxPoints) return { interval, text }
  }
  return { interval: undefined, text: '' }
}

function readInterval(text: string): Interval {
  const parsed = parseDuration(text)
  const converted = 'problem' in parsed ? parsed : convertDuration(parsed.duration)
  if ('problem' in converted) throw new Error(`${text} ${converted.problem}`)
  return converted.interval
}

/** Counts the buckets of a span; for calendar intervals the maximum over all time zones. */
function countBuckets({ unit, count }: Interval, { from, to }: { from: number; to: number }): number {
  if (unit === 'ms') return Math.floor((to - 1) / count) - Math.floor(from / count) + 1
  // Clock changes and moves over the date line add at most one day to a span in local time.
  const lengthMs = count * (unit === 'days' ? DAY_MS : SHORTEST_MONTH_MS)
  return Math.ceil((to - from + DAY_MS) / lengthMs) + 1
}
