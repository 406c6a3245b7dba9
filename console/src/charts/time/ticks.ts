/** Ticks of the time axis, at round times of the wall clock. */
import { floorWall, makeWall } from './calendar.ts'
import { type Range, span } from './range.ts'
import { toMoment, toWall, type Zone } from './zone.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export type TickStep =
  | { unit: 'ms'; count: number }
  /** Units of the wall clock and the calendar, whose lengths vary. */
  | { unit: 'hour' | 'day' | 'month' | 'year'; count: number }

const steps: [approximateMs: number, TickStep][] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((ms) => [ms, { unit: 'ms', count: ms }] as [number, TickStep]),
  ...[1, 2, 5, 10, 15, 30].map(
    (s) => [s * SECOND_MS, { unit: 'ms', count: s * SECOND_MS }] as [number, TickStep],
  ),
  ...[1, 2, 5, 10, 15, 30].map(
    (m) => [m * MINUTE_MS, { unit: 'ms', count: m * MINUTE_MS }] as [number, TickStep],
  ),
  ...[1, 2, 3, 6, 12].map((count) => [count * HOUR_MS, { unit: 'hour', count }] as [number, TickStep]),
  ...[1, 2, 7, 14].map((count) => [count * DAY_MS, { unit: 'day', count }] as [number, TickStep]),
  ...[1, 2, 3, 6].map((count) => [count * 30 * DAY_MS, { unit: 'month', count }] as [number, TickStep]),
  ...[1, 2, 5, 10].map((count) => [count * 365 * DAY_MS, { unit: 'year', count }] as [number, TickStep]),
]

/** The smallest step with at most this many ticks. */
export function chooseStep(range: Range, maxTicks: number): TickStep {
  const leastMs = span(range) / Math.max(1, maxTicks)
  return (steps.find(([ms]) => ms >= leastMs) ?? steps.at(-1)!)[1]
}

/** The moments of the ticks within a range, in order. */
export function listTicks(zone: Zone, range: Range, step: TickStep): number[] {
  const ticks =
    step.unit === 'ms'
      ? listExact(zone, range, step.count)
      : step.unit === 'hour'
        ? listHours(zone, range, step.count)
        : listWalls(zone, range, step).map((wall) => toMoment(zone, wall))
  return ticks.filter((tick) => tick >= range.from && tick <= range.to)
}

function listExact(zone: Zone, { from, to }: Range, stepMs: number): number[] {
  const offset = zone.offsetMs(from)
  const first = Math.ceil((from + offset) / stepMs) * stepMs - offset
  return Array.from(
    { length: Math.max(0, Math.floor((to - first) / stepMs) + 1) },
    (_, index) => first + index * stepMs,
  )
}

/** Lists full hours. An hour that the clock shows twice has two ticks with steps of one hour, and one tick with longer steps. */
function listHours(zone: Zone, { from, to }: Range, count: number): number[] {
  const half = HOUR_MS / 2
  const ticks: number[] = []
  const shown = new Set<number>()
  for (let at = Math.floor(from / half) * half; at <= to; at += half / 2) {
    const wall = toWall(zone, at)
    if (wall % (count * HOUR_MS) !== 0 || (count > 1 && shown.has(wall))) continue
    shown.add(wall)
    ticks.push(at)
  }
  return ticks
}

function listWalls(zone: Zone, { from, to }: Range, { unit, count }: TickStep): number[] {
  const [first, last] = [toWall(zone, from) - DAY_MS, toWall(zone, to) + DAY_MS]
  if (unit === 'day') return listDays(first, last, count)
  const { year, month } = { year: new Date(first).getUTCFullYear(), month: new Date(first).getUTCMonth() }
  const months = unit === 'year' ? 12 * count : count
  const walls: number[] = []
  for (let index = Math.floor((year * 12 + month) / months) * months; ; index += months) {
    const wall = makeWall(Math.floor(index / 12), index % 12)
    if (wall > last) return walls
    walls.push(wall)
  }
}

function listDays(first: number, last: number, count: number): number[] {
  const walls: number[] = []
  const monday = floorWall('week', 0)
  const stepMs = count * DAY_MS
  for (let wall = Math.floor((first - monday) / stepMs) * stepMs + monday; wall <= last; wall += stepMs)
    walls.push(wall)
  return walls
}
