import { expect, test } from 'vitest'
import { addUnits, startOfUnit } from './calendar.ts'
import { orderRange, panRange, span, unitRange, zoomRange } from './range.ts'
import { createTickLabeller } from './tick-labels.ts'
import { chooseStep, listTicks } from './ticks.ts'
import { createZone, isAmbiguous, toMoment, toWall } from './zone.ts'

const HOUR_MS = 3_600_000
const zurich = createZone('Europe/Zurich')
const at = (text: string) => Date.parse(text)
const iso = (moment: number) => new Date(moment).toISOString()

test.each([
  ['Europe/Zurich', '2026-07-01T00:00:00Z', 2],
  ['Europe/Zurich', '2026-12-01T00:00:00Z', 1],
  ['Asia/Kolkata', '2026-07-01T00:00:00Z', 5.5],
  ['America/St_Johns', '2026-01-01T00:00:00Z', -3.5],
])('%s is ahead of UTC at %s by %d hours', (name, moment, hours) => {
  expect(createZone(name).offsetMs(at(moment))).toBe(hours * HOUR_MS)
})

test('a time that the clock shows twice is the first, one that it skips is after the gap', () => {
  expect(iso(toMoment(zurich, at('2026-10-25T02:30:00Z')))).toBe('2026-10-25T00:30:00.000Z')
  expect(iso(toMoment(zurich, at('2026-03-29T02:30:00Z')))).toBe('2026-03-29T01:30:00.000Z')
  expect(toWall(zurich, at('2026-10-25T01:30:00Z'))).toBe(at('2026-10-25T02:30:00Z'))
})

test('only the hour that the clock shows twice is ambiguous', () => {
  const ambiguous = [
    '2026-10-24T23:59:00Z',
    '2026-10-25T00:00:00Z',
    '2026-10-25T01:59:00Z',
    '2026-10-25T02:00:00Z',
  ]
  expect(ambiguous.map((text) => isAmbiguous(zurich, at(text)))).toEqual([false, true, true, false])
})

test.each([
  ['2026-03-29T12:00:00Z', 23],
  ['2026-10-25T12:00:00Z', 25],
  ['2026-06-01T12:00:00Z', 24],
])('the day of %s has %d hours', (moment, hours) => {
  expect(span(unitRange(zurich, 'day', { at: at(moment) }))).toBe(hours * HOUR_MS)
})

test('weeks begin on Mondays, months and years on their first day, all in the zone', () => {
  const moment = at('2026-11-22T23:30:00Z')
  expect(iso(startOfUnit(zurich, 'week', moment))).toBe('2026-11-22T23:00:00.000Z')
  expect(iso(startOfUnit(zurich, 'month', moment))).toBe('2026-10-31T23:00:00.000Z')
  expect(iso(startOfUnit(zurich, 'year', moment))).toBe('2025-12-31T23:00:00.000Z')
  expect(iso(addUnits(zurich, 'month', { at: at('2026-01-30T23:00:00Z'), count: 1 }))).toBe(
    '2026-02-27T23:00:00.000Z',
  )
})

test('the day on which clocks are set back has a tick for each of its 25 hours, and names the ambiguous ones', () => {
  const range = unitRange(zurich, 'day', { at: at('2026-10-25T12:00:00Z') })
  const step = { unit: 'hour', count: 1 } as const
  const ticks = listTicks(zurich, range, step)
  const labels = createTickLabeller(zurich, 'en-GB')(ticks, step)
  expect(ticks).toHaveLength(26)
  expect(labels.slice(0, 5)).toEqual(['00:00\nSun 25 Oct', '01:00', '02:00 CEST', '02:00 CET', '03:00'])
})

test('the day on which clocks are set forward skips an hour', () => {
  const range = unitRange(zurich, 'day', { at: at('2026-03-29T12:00:00Z') })
  const step = { unit: 'hour', count: 1 } as const
  const labels = createTickLabeller(zurich, 'en-GB')(listTicks(zurich, range, step), step)
  expect(labels.slice(0, 4)).toEqual(['00:00\nSun 29 Mar', '01:00', '03:00', '04:00'])
})

test('ticks of several hours stay at the same times of day over a change of the clock', () => {
  const range = { from: at('2026-10-24T22:00:00Z'), to: at('2026-10-26T22:00:00Z') }
  const step = { unit: 'hour', count: 6 } as const
  const hours = listTicks(zurich, range, step).map((tick) => new Date(toWall(zurich, tick)).getUTCHours())
  expect(hours).toEqual([0, 6, 12, 18, 0, 6, 12, 18])
})

test('ticks of days, months and years begin at midnight of the zone', () => {
  const year = { from: at('2026-01-01T00:00:00Z'), to: at('2027-01-01T00:00:00Z') }
  const months = listTicks(zurich, year, { unit: 'month', count: 3 })
  expect(months.map(iso)).toEqual([
    '2026-03-31T22:00:00.000Z',
    '2026-06-30T22:00:00.000Z',
    '2026-09-30T22:00:00.000Z',
    '2026-12-31T23:00:00.000Z',
  ])
  const days = listTicks(
    zurich,
    { from: at('2026-10-24T00:00:00Z'), to: at('2026-10-27T00:00:00Z') },
    { unit: 'day', count: 1 },
  )
  expect(days.map(iso)).toEqual([
    '2026-10-24T22:00:00.000Z',
    '2026-10-25T23:00:00.000Z',
    '2026-10-26T23:00:00.000Z',
  ])
})

test('the step is the smallest with few enough ticks', () => {
  expect(chooseStep({ from: 0, to: HOUR_MS }, 12)).toEqual({ unit: 'ms', count: 300_000 })
  expect(chooseStep({ from: 0, to: 24 * HOUR_MS }, 8)).toEqual({ unit: 'hour', count: 3 })
  expect(chooseStep({ from: 0, to: 366 * 24 * HOUR_MS }, 8)).toEqual({ unit: 'month', count: 2 })
})

test('a zoom keeps its anchor where it is, and ends at a tenth of a second', () => {
  expect(zoomRange({ from: 0, to: 1000 }, 0.5, 250)).toEqual({ from: 125, to: 625 })
  expect(span(zoomRange({ from: 0, to: 1000 }, 0.001))).toBe(100)
  expect(panRange({ from: 0, to: 1000 }, -0.5)).toEqual({ from: -500, to: 500 })
  expect(orderRange(900, 100)).toEqual({ from: 100, to: 900 })
  expect(span(orderRange(500, 500))).toBe(100)
})
