/** Resolution of a query: at most one bucket per pixel, or raw samples where they are few. */
import { choice } from '../../url-state.ts'

/** The aggregations of the server. */
export const singleAggregations = ['avg', 'min', 'max', 'sum', 'median', 'first', 'last'] as const
export type SingleAggregation = (typeof singleAggregations)[number]
export const aggregations = ['auto', 'raw', ...singleAggregations] as const
export type Aggregation = (typeof aggregations)[number]
export const aggregation = () => choice(aggregations)

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Intervals of buckets, with their usual lengths. */
const lengths = {
  PT1S: SECOND_MS,
  PT5S: 5 * SECOND_MS,
  PT15S: 15 * SECOND_MS,
  PT30S: 30 * SECOND_MS,
  PT1M: MINUTE_MS,
  PT2M: 2 * MINUTE_MS,
  PT5M: 5 * MINUTE_MS,
  PT10M: 10 * MINUTE_MS,
  PT15M: 15 * MINUTE_MS,
  PT30M: 30 * MINUTE_MS,
  PT1H: HOUR_MS,
  PT2H: 2 * HOUR_MS,
  PT6H: 6 * HOUR_MS,
  PT12H: 12 * HOUR_MS,
  P1D: DAY_MS,
  P1W: 7 * DAY_MS,
  P1M: 30 * DAY_MS,
}
export type Interval = keyof typeof lengths

export const intervals = Object.keys(lengths) as Interval[]
export const intervalField = () => choice(['auto', ...intervals])
export const intervalMs = (interval: Interval): number => lengths[interval]

/** The shortest interval with at most as many buckets as there are pixels. */
export const chooseInterval = (spanMs: number, width: number): Interval =>
  intervals.find((interval) => lengths[interval] >= spanMs / Math.max(100, width)) ?? 'P1M'

/** Ranges up to this length are read as raw samples, unless the response is cut. */
const RAW_SPAN_MS = 3 * HOUR_MS

/** Resolution of a request. `envelope` is the mean with the least and the greatest value of each bucket. */
export type Resolution =
  | { kind: 'raw' }
  | { kind: 'envelope'; interval: Interval }
  | { kind: 'single'; type: SingleAggregation; interval: Interval }

/** The length of the rollups that are kept for longer than samples. [docs/telemetry#rollups-that-are-kept] */
const ROLLUP: Interval = 'PT30M'

/** @returns a resolution that rollups have; undefined if the given one has it, or if rollups cannot answer it */
export function fitToRollups(resolution: Resolution): Resolution | undefined {
  if (resolution.kind === 'raw') return { kind: 'envelope', interval: ROLLUP }
  if (resolution.kind === 'single' && resolution.type === 'median') return undefined
  return lengths[resolution.interval] < lengths[ROLLUP] ? { ...resolution, interval: ROLLUP } : undefined
}

export function chooseResolution(options: {
  aggregation: Aggregation
  interval: Interval | 'auto'
  spanMs: number
  width: number
}): Resolution {
  const { aggregation: chosen, spanMs, width } = options
  if (chosen === 'raw') return { kind: 'raw' }
  const interval = options.interval === 'auto' ? chooseInterval(spanMs, width) : options.interval
  if (chosen !== 'auto') return { kind: 'single', type: chosen, interval }
  return options.interval === 'auto' && spanMs <= RAW_SPAN_MS
    ? { kind: 'raw' }
    : { kind: 'envelope', interval }
}
