/** Calendar units in a time zone: a day may have 23 or 25 hours. */
import { toMoment, toWall, type Zone } from './zone.ts'

export type CalendarUnit = 'day' | 'week' | 'month' | 'year'

const DAY_MS = 86_400_000
/** The Monday 1970-01-05, from which weeks are counted, as on the server. */
const MONDAY = 4 * DAY_MS

/** Start of the calendar unit that contains a moment. */
export function startOfUnit(zone: Zone, unit: CalendarUnit, at: number): number {
  return toMoment(zone, floorWall(unit, toWall(zone, at)))
}

/** Moves a moment by whole calendar units and keeps the time of day. In a shorter month the last day is used. */
export function addUnits(
  zone: Zone,
  unit: CalendarUnit,
  { at, count }: { at: number; count: number },
): number {
  return toMoment(zone, addWall(unit, toWall(zone, at), count))
}

export function floorWall(unit: CalendarUnit, wall: number): number {
  if (unit === 'day') return Math.floor(wall / DAY_MS) * DAY_MS
  if (unit === 'week') return Math.floor((wall - MONDAY) / (7 * DAY_MS)) * 7 * DAY_MS + MONDAY
  const date = new Date(wall)
  return makeWall(date.getUTCFullYear(), unit === 'month' ? date.getUTCMonth() : 0)
}

function addWall(unit: CalendarUnit, wall: number, count: number): number {
  if (unit === 'day') return wall + count * DAY_MS
  if (unit === 'week') return wall + count * 7 * DAY_MS
  const date = new Date(wall)
  const month = date.getUTCMonth() + count * (unit === 'month' ? 1 : 12)
  const start = makeWall(date.getUTCFullYear(), month)
  const days = Math.round((makeWall(date.getUTCFullYear(), month + 1) - start) / DAY_MS)
  const dayOfMonth = Math.min(date.getUTCDate(), days)
  return start + (dayOfMonth - 1) * DAY_MS + (wall - Math.floor(wall / DAY_MS) * DAY_MS)
}

/** Wall time of the first day of a month; `month` counts from 0 and may exceed 11. */
export function makeWall(year: number, month: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month, 1)
  return date.getTime()
}
