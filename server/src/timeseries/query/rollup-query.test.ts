/** Queries of long spans read rollups in the place of samples, with the same results. [docs/telemetry#rollups] */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { testLog as log } from '../../../test/harness/log.ts'
import { insertClient, storeSamples } from '../../../test/harness/telemetry.ts'
import { aggregationTypes, type AggregationType } from '../../lib/aggregation-types.ts'
import { packSamples } from '../storage/packed/pack-samples.ts'
import { DAY_MS } from '../storage/partition-names.ts'
import type { Owner } from '../storage/series-key.ts'
import { listSeriesNamed } from '../storage/series.ts'
import { bucketPages } from './aggregate.ts'
import type { Aggregation } from './aggregation.ts'
import { readPoints, timedValues } from './point-format.ts'
import type { Selection } from './selection.ts'

const HOUR_MS = 3_600_000
/** Clocks in Berlin change on the second day. */
const start = Date.parse('2026-03-28T00:00:00Z')
const DAYS = 3
const STEP_MS = 10_000

let database: TestDatabase
let owner: Owner
beforeAll(async () => {
  database = await testDatabase()
  owner = await insertClient(database, 'a', 'pump')
  const times = Array.from({ length: (DAYS * DAY_MS) / STEP_MS }, (_, index) => start + index * STEP_MS)
  for (let at = 0; at < times.length; at += 5000)
    await storeSamples(
      database,
      owner,
      times.slice(at, at + 5000).flatMap((time, index) => [
        {
          name: 'decimal',
          time,
          value: Math.round(Math.sin(time / 1e7) * 1000) / 100,
          messageId: BigInt(time),
        },
        { name: 'double', time, value: Math.sin(time), messageId: BigInt(time) },
        { name: 'mixed', time, value: index % 9 === 0 ? 'off' : index % 100, messageId: BigInt(time) },
        ...(time % 60_000 === 0 ? [{ name: 'minutes', time, value: time % 7, messageId: BigInt(time) }] : []),
      ]),
    )
  await packSamples({ ...database, log })
})
afterAll(() => database[Symbol.asyncDispose]())

const hours = (count: number): Aggregation['interval'] => ({ unit: 'ms', count: count * HOUR_MS })
const wide = { from: start, to: start + DAYS * DAY_MS }

interface Query {
  type: AggregationType
  interval?: Aggregation['interval']
  timeZone?: string
  from: number
  to: number
}

async function query(name: string, { type, interval, timeZone = 'UTC', ...span }: Query) {
  const [series] = await listSeriesNamed(database.db, [owner], [name])
  const selection: Selection = { series: series!, modelId: null, ...span }
  const aggregation = { type, timeZone, ...(interval && { interval }) }
  const pages = bucketPages(database.db, selection, { aggregation, format: timedValues, limit: 10_000 })
  const points: [number, unknown][] = []
  for await (const { pieces } of pages) points.push(...readPoints<[number, unknown]>(pieces))
  return points
}

/** Runs queries while packed pieces are changed. */
async function withPieces<Result>(change: string, run: () => Promise<Result>): Promise<Result> {
  await database.pool.query('create table kept as select * from packed_rows')
  await database.pool.query(`update packed_rows set ${change}`)
  try {
    return await run()
  } finally {
    await database.pool.query('delete from packed_rows')
    await database.pool.query('insert into packed_rows select * from kept')
    await database.pool.query('drop table kept')
  }
}

/** Samples that are read fail the query. @param where the pieces; all by default */
const withoutSamples = <Result>(run: () => Promise<Result>, where = 'true') =>
  withPieces(`data = '' where ${where}`, run)
const withoutRollups = <Result>(run: () => Promise<Result>) =>
  withPieces('rollups = null, rollup_ends = null', run)

const types = aggregationTypes.filter((type) => type !== 'median')

describe.each(['decimal', 'double', 'minutes'])('%s', (name) => {
  test.each<[string, Omit<Query, 'type'>]>([
    ['the whole span', wide],
    ['hours', { ...wide, interval: hours(1) }],
    ['seven hours', { ...wide, interval: hours(7) }],
    ['days in Berlin', { ...wide, interval: { unit: 'days', count: 1 }, timeZone: 'Europe/Berlin' }],
    ['months', { ...wide, interval: { unit: 'months', count: 1 }, timeZone: 'Europe/Berlin' }],
    ['a span of whole hours', { from: start + HOUR_MS, to: start + 50 * HOUR_MS }],
  ])('%s need no samples', async (_name, span) => {
    const results = () => Promise.all(types.map((type) => query(name, { type, ...span })))
    const found = await withoutSamples(results)
    expect(found).toEqual(await withoutRollups(results))
    expect(found[0]!.length).toBeGreaterThan(0)
  })
})

test('intervals of five minutes and days of zones with half hours need no samples of dense series', async () => {
  const spans: Omit<Query, 'type'>[] = [
    { ...wide, interval: { unit: 'ms', count: 300_000 } },
    { ...wide, interval: { unit: 'ms', count: 1_500_000 } },
    { ...wide, interval: { unit: 'days', count: 1 }, timeZone: 'Asia/Kolkata' },
    { from: start + 300_000, to: start + DAY_MS + 600_000 },
  ]
  const results = () =>
    Promise.all(spans.flatMap((span) => types.map((type) => query('decimal', { type, ...span }))))
  expect(await withoutSamples(results)).toEqual(await withoutRollups(results))
})

test('the edges of a span are read from samples, and what lies between from rollups', async () => {
  const [from, to] = [start + HOUR_MS + 12_345, start + 2 * DAY_MS + HOUR_MS + 1]
  const span = { from, to, interval: hours(1) }
  const results = () => Promise.all(types.map((type) => query('decimal', { type, ...span })))
  const isInner = `first_time >= '2026-03-29' and last_time < '2026-03-30'`
  const found = await withoutSamples(results, isInner)
  expect(found).toEqual(await withoutRollups(results))
  await expect(withoutSamples(results)).rejects.toThrow()
})

test.each<[string, string, Query]>([
  ['a median', 'decimal', { ...wide, type: 'median' }],
  [
    'buckets that divide rollups',
    'decimal',
    { ...wide, type: 'avg', interval: { unit: 'ms', count: 420_000 } },
  ],
  [
    'buckets of five minutes, one sample each minute',
    'minutes',
    { ...wide, type: 'avg', interval: { unit: 'ms', count: 300_000 } },
  ],
  ['numbers and strings', 'mixed', { ...wide, type: 'avg' }],
])('%s need samples', async (_name, name, wanted) => {
  const found = await query(name, wanted)
  expect(await withoutRollups(() => query(name, wanted))).toEqual(found)
  await expect(withoutSamples(() => query(name, wanted))).rejects.toThrow()
})

test('late samples count before and after they are packed', async () => {
  const late = start + DAY_MS + HOUR_MS + 5
  const sum = async () => (await query('decimal', { ...wide, type: 'sum' }))[0]![1] as number
  const before = await sum()
  await storeSamples(database, owner, [{ name: 'decimal', time: late, value: 1024 }])
  expect(await sum()).toBeCloseTo(before + 1024, 6)
  const merged = await sum()
  expect(await query('decimal', { from: late - 5, to: late + 1, type: 'last' })).toEqual([[late - 5, 1024]])
  await packSamples({ ...database, log })
  expect(await withoutSamples(sum)).toBe(merged)
  const whole = { from: late - 5, to: late - 5 + HOUR_MS, interval: hours(1) }
  expect(await withoutSamples(() => query('decimal', { ...whole, type: 'max' }))).toEqual([[late - 5, 1024]])
})
