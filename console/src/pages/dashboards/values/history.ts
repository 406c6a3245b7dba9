/** Collects what the widgets of a board show of the past into few queries, since requests are limited. */
import type { Range } from '../../../charts/time/range.ts'
import { spans, type TimeRange } from '../../../parts/time/time-range.ts'
import { type SignalQuery, type SignalSamples, splitSignals } from '../../explore/query-signals.ts'
import {
  type Aggregation,
  chooseInterval,
  type Interval,
  intervalMs,
  intervals,
  type SingleAggregation,
} from '../../explore/resolution.ts'
import type { BoundSignal } from '../board/signals.ts'

export interface Need {
  signals: BoundSignal[]
  timeRange: ShownRange
  /** `states` reads the last value of each bucket, and `whole` has one bucket for the whole time. */
  aggregation: Aggregation | 'states' | `whole ${SingleAggregation}`
  /** Whether it is the time of the same length before the time range, for a comparison. */
  isBefore: boolean
  /** Length of the buckets; chosen by the time and the number of signals without. */
  interval?: Interval | undefined
}

/** The time of a board, or the time of a widget up to now, which has any length. */
export type ShownRange = TimeRange | { kind: 'last'; lengthMs: number }

/** What the key of a group says. */
type Asked = Pick<Need, 'timeRange' | 'aggregation' | 'isBefore' | 'interval'>

/** Widgets with the same time range and aggregation share a query. */
export interface HistoryGroup extends Asked {
  key: string
  signals: BoundSignal[]
  /** Number of owners of the signals. */
  owners: number
}

export const groupKey = ({ timeRange, aggregation, isBefore, interval }: Asked) =>
  JSON.stringify({ timeRange, aggregation, isBefore, interval })

export const readGroupKey = (key: string) => JSON.parse(key) as Asked

export function groupNeeds(needs: Need[]): HistoryGroup[] {
  const groups = new Map<string, Map<string, BoundSignal>>()
  for (const need of needs) {
    const members = groups.get(groupKey(need)) ?? new Map<string, BoundSignal>()
    for (const signal of need.signals) members.set(signal.id, signal)
    groups.set(groupKey(need), members)
  }
  return [...groups].map(([key, members]) => {
    const signals = [...members.values()]
    return {
      key,
      ...readGroupKey(key),
      signals,
      owners: new Set(signals.map(({ ownerId }) => ownerId)).size,
    }
  })
}

/** The aggregation over the whole time; undefined for one in buckets. */
export const readWhole = (aggregation: Need['aggregation']): SingleAggregation | undefined =>
  aggregation.startsWith('whole ') ? (aggregation.slice('whole '.length) as SingleAggregation) : undefined

/** Whether a live value may be added to samples: a single value is no sum and no mean. */
export const takesLiveValues = ({ aggregation, isBefore }: Asked): boolean =>
  !isBefore && ['auto', 'raw', 'states'].includes(aggregation)

/** Up to this length samples are read one by one. */
const RAW_MS = 3 * 3_600_000
/** More signals are read in buckets, since a few hundred series of single samples are tens of megabytes. */
const MOST_RAW = 50
/** Envelopes of more assets would hide each other, so that these show the mean alone. */
const MOST_ENVELOPES = 4

/** Buckets of a signal: the width of a chart, and fewer where a board has very many signals. */
const chooseBuckets = (signals: number) => Math.round(Math.min(600, Math.max(120, 60_000 / signals)))

export function chooseHistory(group: HistoryGroup, lengthMs: number) {
  const { aggregation, owners, signals, isBefore } = group
  const query = (resolution: SignalQuery['resolution']) => ({ resolution, width: buckets })
  const buckets = chooseBuckets(signals.length)
  const isDetailed = group.interval === undefined && (aggregation === 'auto' || aggregation === 'states')
  if (aggregation === 'raw' || (isDetailed && lengthMs <= RAW_MS && signals.length <= MOST_RAW))
    return query({ kind: 'raw' })
  const whole = readWhole(aggregation)
  if (whole !== undefined) return query({ kind: 'whole', type: whole })
  const interval = group.interval ?? chooseInterval(lengthMs, buckets)
  if (aggregation === 'states') return query({ kind: 'single', type: 'last', interval })
  if (aggregation !== 'auto')
    return query({ kind: 'single', type: aggregation as SingleAggregation, interval })
  return query(
    owners <= MOST_ENVELOPES && !isBefore
      ? { kind: 'envelope', interval }
      : { kind: 'single', type: 'avg', interval },
  )
}

/** Requests of one reading. */
export const countRequests = ({ signals }: HistoryGroup): number => splitSignals(signals).length

export function spanMs(range: ShownRange): number {
  if (range.kind === 'fixed') return range.toMs - range.fromMs
  return 'span' in range ? spans[range.span] : range.lengthMs
}

/** The range that is shown: up to now, or up to the end of a fixed one. */
export function shownRange(range: ShownRange, nowMs: number): Range {
  const to = range.kind === 'fixed' ? range.toMs : nowMs
  return { from: to - spanMs(range), to }
}

const FUTURE_MS = 60_000

/** The range to read; one up to now ends shortly after it, since the clocks of devices are not exact. */
export function readingRange({ timeRange, isBefore }: Asked, nowMs: number): Range {
  const { from, to } = shownRange(timeRange, nowMs)
  if (isBefore) return { from: from - (to - from), to: from }
  return { from, to: timeRange.kind === 'fixed' ? to : to + FUTURE_MS }
}

/** Moves samples of the time before into the time that they are compared with. */
export function shiftSamples(all: SignalSamples[], byMs: number): SignalSamples[] {
  for (const { samples } of all)
    for (let index = 0; index < samples.length; index++) samples.times[index]! += byMs
  return all
}

/** The time of a widget, from the ISO 8601 duration in its options; undefined for that of the board. */
export function readPeriod(period: unknown): ShownRange | undefined {
  const lengthMs = readDuration(period)
  return lengthMs === undefined ? undefined : { kind: 'last', lengthMs }
}

/** The shortest interval of buckets that is at least as long as the ISO 8601 duration in the options of a widget. */
export function readInterval(duration: unknown): Interval | undefined {
  const wanted = readDuration(duration)
  return wanted === undefined
    ? undefined
    : (intervals.find((interval) => intervalMs(interval) >= wanted) ?? intervals.at(-1))
}

const DURATION =
  /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/
const DAY_MS = 86_400_000
/** Usual lengths of a year, a month, a week, a day, an hour, a minute and a second. */
const PARTS_MS = [365 * DAY_MS, 30 * DAY_MS, 7 * DAY_MS, DAY_MS, 3_600_000, 60_000, 1000]
const LONGEST_MS = 10 * 365 * DAY_MS

/** @returns milliseconds, 10 years at most; undefined for what is no duration, and for none */
function readDuration(text: unknown): number | undefined {
  const found = typeof text === 'string' ? DURATION.exec(text) : null
  if (found === null) return undefined
  const ms = PARTS_MS.reduce((sum, part, index) => sum + Number(found[index + 1] ?? 0) * part, 0)
  return ms === 0 ? undefined : Math.min(ms, LONGEST_MS)
}
