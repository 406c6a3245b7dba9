/** What the widgets of a board need of the past, as few queries. */
import type { Range } from '../../../charts/time/range.ts'
import { type Span, spans, type TimeRange } from '../../../parts/time/time-range.ts'
import { type Aggregation, chooseInterval, type Resolution } from '../../explore/resolution.ts'
import type { BoundSignal } from '../board/signals.ts'

export type SingleAggregation = Exclude<Aggregation, 'auto' | 'raw'>

export interface Need {
  signals: BoundSignal[]
  timeRange: TimeRange
  /** `states` reads the last value of each bucket, and `whole` has one bucket for the whole time. */
  aggregation: Aggregation | 'states' | `whole ${SingleAggregation}`
}

/** Widgets with the same time range and aggregation share a query. */
export interface HistoryGroup {
  key: string
  timeRange: TimeRange
  aggregation: Need['aggregation']
  signals: BoundSignal[]
  owners: number
}

export const groupKey = ({ timeRange, aggregation }: Pick<Need, 'timeRange' | 'aggregation'>) =>
  JSON.stringify([timeRange, aggregation])

export function groupNeeds(needs: Need[]): HistoryGroup[] {
  const groups = new Map<string, Map<string, BoundSignal>>()
  for (const need of needs) {
    const members = groups.get(groupKey(need)) ?? new Map<string, BoundSignal>()
    for (const signal of need.signals) members.set(signal.id, signal)
    groups.set(groupKey(need), members)
  }
  return [...groups].map(([key, members]) => {
    const [timeRange, aggregation] = JSON.parse(key) as [TimeRange, Need['aggregation']]
    const signals = [...members.values()]
    return {
      key,
      timeRange,
      aggregation,
      signals,
      owners: new Set(signals.map(({ ownerId }) => ownerId)).size,
    }
  })
}

/** The aggregation over the whole time; undefined for one in buckets. */
export const readWhole = (aggregation: Need['aggregation']): SingleAggregation | undefined =>
  aggregation.startsWith('whole ') ? (aggregation.slice('whole '.length) as SingleAggregation) : undefined

/** Whether a live value may be added to samples: a single value is no sum and no mean. */
export const takesLiveValues = (aggregation: Need['aggregation']): boolean =>
  ['auto', 'raw', 'states'].includes(aggregation)

const WIDTH = 600
/** Up to this length samples are read one by one. */
const RAW_MS = 3 * 3_600_000
/** An envelope takes four requests for each asset, so larger boards show the mean alone. */
const MOST_ENVELOPES = 4

export function chooseHistory({ aggregation, owners }: HistoryGroup, spanMs: number): Resolution {
  if (aggregation === 'raw' || ((aggregation === 'auto' || aggregation === 'states') && spanMs <= RAW_MS))
    return { kind: 'raw' }
  const interval = chooseInterval(spanMs, WIDTH)
  if (aggregation === 'states') return { kind: 'single', type: 'last', interval }
  if (aggregation !== 'auto')
    return {
      kind: 'single',
      type: readWhole(aggregation) ?? (aggregation as SingleAggregation),
      interval,
    }
  return owners <= MOST_ENVELOPES ? { kind: 'envelope', interval } : { kind: 'single', type: 'avg', interval }
}

/** Interval between two readings of buckets, so that a board stays within the thousand requests an hour of an account. */
export const chooseReloadMs = ({ owners }: HistoryGroup, resolution: Resolution) =>
  Math.max(60_000, owners * (resolution.kind === 'envelope' ? 4 : 1) * 15_000)

export const spanMs = (range: TimeRange) =>
  range.kind === 'last' ? spans[range.span] : range.toMs - range.fromMs

const FUTURE_MS = 60_000

/** The range to read; one up to now ends shortly after it, since the clocks of devices are not exact. */
export const readingRange = (range: TimeRange, nowMs: number): Range =>
  range.kind === 'fixed'
    ? { from: range.fromMs, to: range.toMs }
    : { from: nowMs - spans[range.span], to: nowMs + FUTURE_MS }

/** The nearest time range of an ISO 8601 duration in the options of a widget; undefined for that of the board. */
export function readPeriod(period: unknown): TimeRange | undefined {
  const found =
    typeof period === 'string' && /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$/.exec(period)
  if (!found) return undefined
  const [weeks, days, hours, minutes] = found.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ]
  const wanted = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60_000
  if (wanted === 0) return undefined
  const names = Object.keys(spans) as Span[]
  const span = names.find((name) => spans[name] >= wanted) ?? names.at(-1)!
  return { kind: 'last', span }
}
