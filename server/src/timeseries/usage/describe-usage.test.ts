import { expect, test } from 'vitest'
import { dayNumber } from '../storage/partition-names.ts'
import { describeUsage } from './describe-usage.ts'
import type { DayUsage } from './usage.ts'

const nowMs = Date.parse('2026-03-11T12:00:00Z')
const today = dayNumber(nowMs)
const dayUsage = (age: number, values: number, more: Partial<DayUsage> = {}): DayUsage => ({
  tier: 'rows',
  day: today - age,
  values,
  bytes: values * 100,
  isEstimate: false,
  ...more,
})

const summarize = (
  days: DayUsage[],
  retentionDays: number | null = null,
  rollupRetentionDays: number | null = null,
) => describeUsage({ measuredMs: nowMs, retentionDays, rollupRetentionDays, days })

test('nothing is stored', () => {
  expect(summarize([])).toMatchObject({
    values: 0,
    bytes: 0,
    bytesPerValue: null,
    isEstimate: false,
    ages: [],
    growth: { days: 0, valuesPerDay: 0, bytesPerDay: 0, expiringBytesPerDay: 0 },
  })
})

test('values are summed by tier and by age; future values count as of today', () => {
  const days = [dayUsage(-400, 1), dayUsage(0, 2), dayUsage(1, 4), dayUsage(6, 8), dayUsage(400, 16)]
  const usage = summarize(days)
  expect(usage).toMatchObject({ values: 31, bytes: 3100, bytesPerValue: 100 })
  expect(usage.tiers[0]).toMatchObject({ tier: 'rows', oldestDay: '2025-02-04', newestDay: '2027-04-15' })
  expect(usage.ages.map(({ fromDays, toDays, values }) => [fromDays, toDays, values])).toEqual([
    [0, 1, 3],
    [1, 7, 12],
    [365, null, 16],
  ])
})

test('growth is the average of up to seven full days; expiry is the average of the oldest stored days', () => {
  const recent = [0, 1, 2, 3, 4, 5, 6, 7].map((age) => dayUsage(age, age === 0 ? 1_000_000 : 70))
  const old = [24, 25, 26, 27, 28, 29, 30].map((age) => dayUsage(age, 35))
  const { growth } = summarize([...recent, ...old], 30)
  expect(growth).toEqual({ days: 7, valuesPerDay: 70, bytesPerDay: 7000, expiringBytesPerDay: 3500 })
})

test('growth of a new tenant is the average of its days', () => {
  const { growth } = summarize([dayUsage(0, 5), dayUsage(1, 10), dayUsage(2, 20)])
  expect(growth).toMatchObject({ days: 2, valuesPerDay: 15 })
})

test('one estimated day makes the total an estimate', () => {
  const usage = summarize([dayUsage(1, 1), dayUsage(2, 1, { isEstimate: true })])
  expect(usage.isEstimate).toBe(true)
})

test('growth counts the bytes of values after packing', () => {
  const days = [dayUsage(1, 100), dayUsage(2, 100, { tier: 'packed', bytes: 150 })]
  const { growth } = summarize(days)
  expect(growth).toMatchObject({ days: 2, valuesPerDay: 100, bytesPerDay: 150 })
})

test('rollups add bytes to the packed values that they are made of', () => {
  const packed = dayUsage(1, 100, { tier: 'packed', bytes: 150 })
  const usage = summarize([packed, dayUsage(1, 0, { tier: 'rollups', bytes: 50 })])
  expect(usage).toMatchObject({ values: 100, bytes: 200, bytesPerValue: 2, growth: { bytesPerDay: 200 } })
  expect(usage.tiers).toMatchObject([
    { tier: 'rows', bytes: 0 },
    { tier: 'packed', bytes: 150, bytesPerValue: 1.5 },
    { tier: 'rollups', values: 0, bytes: 50, bytesPerValue: null, oldestDay: '2026-03-10' },
  ])
  expect(usage.ages.map(({ tier, bytes }) => [tier, bytes])).toEqual([
    ['packed', 150],
    ['rollups', 50],
  ])
})

test('rollups whose samples are deleted do not make a value larger; the retention replaces samples by them', () => {
  const stored = [1, 2, 29, 30].map((age) => dayUsage(age, 70, { tier: 'packed', bytes: 700 }))
  const kept = [31, 32, 99, 100].map((age) => dayUsage(age, 0, { tier: 'rollups', bytes: 70, isKept: true }))
  const usage = summarize(
    [...stored, ...kept, dayUsage(200, 0, { tier: 'rollups', bytes: 1e6, isKept: true })],
    30,
  )
  expect(usage).toMatchObject({ bytes: 1_003_080, bytesPerValue: 10 })
  expect(usage.tiers[2]).toMatchObject({ bytes: 1_000_280, bytesPerValue: null })
  // Of seven days, two have samples that expire, and two have rollups of samples that have expired.
  expect(usage.growth).toMatchObject({ bytesPerDay: 200, expiringBytesPerDay: 180 })
  const { growth } = summarize([...stored, ...kept], 30, 100)
  expect(growth.expiringBytesPerDay).toBe(200)
})
