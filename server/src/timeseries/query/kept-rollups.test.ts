/** Once samples are older than the retention, their rollups answer in their place. [docs/telemetry#retention] */
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { killAfter } from '../../../test/harness/kill-after.ts'
import { testLog as log } from '../../../test/harness/log.ts'
import { rounds } from '../../../test/harness/rounds.ts'
import { insertTenant, storeSamples, type TestSample } from '../../../test/harness/telemetry.ts'
import { aggregationTypes, type AggregationType } from '../../lib/aggregation-types.ts'
import { deleteSamples } from '../storage/delete-samples.ts'
import { cutExpiredPieces } from '../storage/packed/cut-expired.ts'
import { deleteExpiredPacked } from '../storage/packed/delete-packed.ts'
import { deleteExpiredKept } from '../storage/packed/kept-rollups.ts'
import { packSamples } from '../storage/packed/pack-samples.ts'
import { dropExpiredPartitions } from '../storage/partitions.ts'
import { DAY_MS } from '../storage/partition-names.ts'
import type { Owner } from '../storage/series-key.ts'
import { listSeriesNamed } from '../storage/series.ts'
import { measureExpiring, readUsage } from '../usage/read-usage.ts'
import { bucketPages } from './aggregate.ts'
import type { Aggregation } from './aggregation.ts'
import { readPoints, timedValues } from './point-format.ts'
import { findRolledUpBefore } from './rolled-up-before.ts'

const HALF_HOUR_MS = 1_800_000
const start = Date.parse('2026-03-28T00:00:00Z')

let database: TestDatabase
let owner: Owner
let tenants = 0
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  owner = {
    tenantNumber: await insertTenant(database, `t${++tenants}`),
    ownerType: 'client',
    ownerId: 'pump',
  }
})

const store = (samples: TestSample[]) => storeSamples(database, owner, samples)
const pack = (nowMs = Date.now()) => packSamples({ ...database, log }, { nowMs })

const keep = (days: number | null, rollupDays: number | null) =>
  database.db
    .updateTable('tenants')
    .set({ telemetry_retention_days: days, rollup_retention_days: rollupDays })
    .where('number', '=', owner.tenantNumber)
    .execute()

/** What the server does each night. */
async function runNight(nowMs: number): Promise<void> {
  await dropExpiredPartitions(database.pool, log, nowMs)
  await deleteExpiredPacked(database.pool, nowMs)
  await deleteExpiredKept(database.pool, nowMs)
  await cutExpiredPieces(database, { nowMs })
}

/** The night in which samples before a time expire, with a retention of a day. */
const nightOf = (beforeMs: number) => beforeMs + DAY_MS

interface Query {
  type: AggregationType
  interval?: Aggregation['interval']
  timeZone?: string
  from: number
  to: number
}

async function query(name: string, { type, interval, timeZone = 'UTC', ...span }: Query) {
  const [series] = await listSeriesNamed(database.db, [owner], [name])
  const rolledUpBeforeMs = await findRolledUpBefore(database.db, owner.tenantNumber)
  const aggregation = { type, timeZone, ...(interval && { interval }) }
  const pages = bucketPages(
    database.db,
    { series: series!, modelId: null, rolledUpBeforeMs, ...span },
    { aggregation, format: timedValues, limit: 100_000 },
  )
  const points: [number, unknown][] = []
  for await (const { pieces } of pages) points.push(...readPoints<[number, unknown]>(pieces))
  return points
}

async function countRows(table: 'packed_rows' | 'sample_rows' | 'kept_rollups'): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::int as count from ${table} where tenant_number = $1`,
    [owner.tenantNumber],
  )
  return rows[0]!.count
}

const intervals: Pick<Query, 'interval' | 'timeZone'>[] = [
  { interval: { unit: 'ms', count: HALF_HOUR_MS } },
  { interval: { unit: 'ms', count: 6 * HALF_HOUR_MS } },
  { interval: { unit: 'days', count: 1 } },
  { interval: { unit: 'days', count: 1 }, timeZone: 'Asia/Kolkata' },
  { interval: { unit: 'days', count: 2 }, timeZone: 'Europe/Berlin' },
  { interval: { unit: 'months', count: 1 }, timeZone: 'America/St_Johns' },
  {},
]
const types = aggregationTypes.filter((type) => type !== 'median')

const DAYS = 3
const MAX_SAMPLES = 2000
interface Sensor {
  stepMs: number
  offsetMs: number
  lengthMs: number
  number: (index: number) => number
}

const sensor: fc.Arbitrary<Sensor> = fc.record({
  stepMs: fc.constantFrom(20_000, 300_000, 3_000_000, 40_000_000),
  offsetMs: fc.nat(100_000_000),
  lengthMs: fc.integer({ min: 1, max: DAYS * DAY_MS }),
  number: fc.constantFrom<(index: number) => number>(
    (index) => Math.round(Math.sin(index / 50) * 1000) / 100,
    (index) => Math.sin(index),
    (index) => index % 3,
    () => -0,
  ),
})

function listSamples(name: string, { stepMs, offsetMs, lengthMs, number }: Sensor): TestSample[] {
  const samples: TestSample[] = []
  const end = Math.min(offsetMs + Math.min(lengthMs, MAX_SAMPLES * stepMs), DAYS * DAY_MS)
  for (let time = offsetMs; time < end; time += stepMs)
    samples.push({ name, time: start + time, value: number(samples.length), messageId: BigInt(time) })
  return samples
}

test('whatever is stored, aggregates of whole half hours stay the same when samples give way to rollups', async () => {
  let kept = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(sensor, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: DAYS }),
      fc.tuple(fc.nat(DAYS * 48 - 1), fc.nat(DAYS * 48)).map(([from, length]) => ({
        from: start + from * HALF_HOUR_MS,
        to: start + Math.min(from + length + 1, DAYS * 48) * HALF_HOUR_MS,
      })),
      fc.constantFrom(...intervals),
      fc.nat(30),
      async (all, days, span, interval, statements) => {
        owner = {
          ...owner,
          tenantNumber: await insertTenant(database, `t${++tenants}`),
        }
        const samples = all.flatMap((one, index) => listSamples(`s${index}`, one))
        fc.pre(samples.length > 0)
        for (let at = 0; at < samples.length; at += 5000) await store(samples.slice(at, at + 5000))
        await pack()
        const names = [...new Set(samples.map(({ name }) => name))]
        const answer = async () => {
          const found = []
          for (const name of names)
            for (const type of types) found.push(await query(name, { type, ...interval, ...span }))
          return found
        }
        const before = await answer()
        await keep(1, 1000)
        const nowMs = nightOf(start + days * DAY_MS)
        await cutExpiredPieces({ ...database, db: killAfter(database.db, statements) }, { nowMs }).catch(
          () => {},
        )
        expect(await answer()).toEqual(before)
        await runNight(nowMs)
        expect(await answer()).toEqual(before)
        kept += await countRows('kept_rollups')
        const { rows } = await database.pool.query(
          'select from packed_rows where tenant_number = $1 and first_time < $2::timestamptz',
          [owner.tenantNumber, new Date(start + days * DAY_MS).toISOString()],
        )
        expect(rows).toEqual([])
      },
    ),
    { numRuns: rounds(100, 8) },
  )
  expect(kept).toBeGreaterThan(0)
})

/** A value each minute. */
const minutes = (
  name: string,
  fromMs: number,
  count: number,
  value: (index: number) => unknown = (index) => index,
) =>
  Array.from({ length: count }, (_, index) => ({ name, time: fromMs + index * 60_000, value: value(index) }))

const whole = { from: start, to: start + 3 * DAY_MS }
const daily = { interval: { unit: 'days', count: 1 } as const }

test('a span or bucket that ends inside a half hour has nothing of it, a median has samples only', async () => {
  await store(minutes('a', start, 2 * 1440))
  await pack()
  await keep(1, 1000)
  await runNight(nightOf(start + DAY_MS))
  const from = start + 5 * 60_000
  expect(await query('a', { type: 'first', from, to: start + 70 * 60_000 })).toEqual([[from, 30]])
  expect(await query('a', { type: 'last', from, to: start + 70 * 60_000 })).toEqual([[from, 59]])
  const interval = { unit: 'ms', count: 7 * 60_000 } as const
  const points = await query('a', { type: 'min', interval, ...whole })
  expect(points[0]![0]).toBeGreaterThan(start + DAY_MS - interval.count)
  expect(await query('a', { type: 'median', ...daily, ...whole })).toEqual([[start + DAY_MS, 1440 + 719.5]])
  // Days in Nepal begin at 18:15 UTC: of each, the half hour from 18:00 is left out.
  const inNepal = { ...daily, timeZone: 'Asia/Kathmandu', from: start, to: start + DAY_MS }
  const [first, second] = await query('a', { type: 'max', ...inNepal })
  expect([first![1], second![1]]).toEqual([18 * 60 - 1, 1439])
  expect(await query('a', { type: 'min', ...inNepal })).toEqual([
    [first![0], 0],
    [second![0], 18 * 60 + 30],
  ])
})

test('numbers have rollups beside other values; a sum that two doubles cannot hold is rounded', async () => {
  await store(minutes('mixed', start, 60, (index) => (index % 2 === 0 ? index : 'off')))
  await store(minutes('wide', start, 60, (index) => [1e300, 1, 1e-300][index % 3]))
  await store(minutes('text', start, 60, () => 'on'))
  await pack()
  await keep(1, 1000)
  await runNight(nightOf(start + DAY_MS))
  expect(await query('mixed', { type: 'max', ...daily, ...whole })).toEqual([[start, 58]])
  expect(await query('wide', { type: 'sum', ...daily, ...whole })).toEqual([[start, 2e301]])
  expect(await query('wide', { type: 'min', ...daily, ...whole })).toEqual([[start, 1e-300]])
  expect(await query('text', { type: 'last', ...daily, ...whole })).toEqual([])
})

test('samples are deleted only once they are packed, and late ones do not change a complete day', async () => {
  await store(minutes('a', start, 1440))
  await keep(1, 1000)
  await runNight(nightOf(start + DAY_MS))
  expect([await countRows('sample_rows'), await countRows('kept_rollups')]).toEqual([1440, 0])
  await pack()
  await runNight(nightOf(start + DAY_MS))
  expect([await countRows('packed_rows'), await countRows('kept_rollups')]).toEqual([0, 1])
  const sum = await query('a', { type: 'sum', ...daily, ...whole })
  expect(sum).toEqual([[start, (1439 * 1440) / 2]])
  // The same again, as from a file that is imported twice, and others.
  await store([...minutes('a', start, 1440), ...minutes('a', start + 1, 60)])
  await runNight(nightOf(start + DAY_MS))
  expect(await countRows('sample_rows')).toBe(1500)
  await pack()
  expect(await query('a', { type: 'sum', ...daily, ...whole })).toEqual(sum)
  await runNight(nightOf(start + DAY_MS))
  expect([await countRows('packed_rows'), await countRows('kept_rollups')]).toEqual([0, 1])
  expect(await query('a', { type: 'sum', ...daily, ...whole })).toEqual(sum)
})

test('a day is rolled up once all of it is packed; a device with a wrong clock does not hold up the others', async () => {
  await store([...minutes('a', start, 1440), ...minutes('a', start + DAY_MS, 1440)])
  await pack()
  await keep(1, 1000)
  await store(minutes('a', start + 1, 1))
  await runNight(nightOf(start + DAY_MS))
  expect(await countRows('kept_rollups')).toBe(0)
  await pack()
  await runNight(nightOf(start + DAY_MS))
  expect([await countRows('packed_rows'), await countRows('kept_rollups')]).toEqual([1, 1])
  expect(await query('a', { type: 'sum', from: start, to: start + DAY_MS })).toEqual([
    [start, (1439 * 1440) / 2],
  ])
  await store([...minutes('a', 0, 1), ...minutes('a', start + 2, 1)])
  await runNight(nightOf(start + 2 * DAY_MS))
  expect([await countRows('packed_rows'), await countRows('kept_rollups')]).toEqual([0, 2])
})

test('a run that was broken off begins again, with a longer retention, too', async () => {
  const other = { ...owner, ownerId: 'valve' }
  await store([...minutes('a', start, 1440), ...minutes('a', start + DAY_MS, 1440)])
  await storeSamples(database, other, minutes('a', start, 1440))
  await pack()
  await keep(1, 1000)
  // A change covers a hundred streams, and the tests before have made others.
  let after: number | undefined
  do after = await cutExpiredPieces(database, { after, nowMs: nightOf(start + DAY_MS), untilMs: 0 })
  while (after !== undefined && (await countRows('kept_rollups')) === 0)
  expect(await countRows('kept_rollups')).toBeGreaterThan(0)
  const total = [[start, 1439 * 1440]]
  expect(await query('a', { type: 'sum', from: start, to: start + 2 * DAY_MS })).toEqual(total)
  await store(minutes('a', start, 1440))
  await pack()
  await runNight(nightOf(start + DAY_MS))
  expect(await query('a', { type: 'sum', from: start, to: start + 2 * DAY_MS })).toEqual(total)
  await keep(900, 1000)
  expect(await query('a', { type: 'sum', from: start, to: start + 2 * DAY_MS })).toEqual(total)
})

test('rollups go with their own retention, without one, and with their series', async () => {
  const all = async () => {
    await store(minutes('a', start, 3 * 1440))
    await pack()
    await keep(1, 10)
    await runNight(nightOf(start + 3 * DAY_MS))
    expect(await countRows('kept_rollups')).toBe(3)
  }
  await all()
  await runNight(start + 12 * DAY_MS)
  expect(await countRows('kept_rollups')).toBe(1)
  await keep(1, null)
  await runNight(start + 12 * DAY_MS)
  expect(await countRows('kept_rollups')).toBe(0)

  owner = { ...owner, tenantNumber: await insertTenant(database, `t${++tenants}`) }
  await all()
  const [series] = await listSeriesNamed(database.db, [owner], ['a'])
  await deleteSamples(database.pool, {
    tenantNumber: owner.tenantNumber,
    seriesNumbers: [series!.number],
    streamNumbers: [series!.streamNumber],
  })
  expect(await countRows('kept_rollups')).toBe(0)
})

test('another tenant keeps its samples, and rollups count as such in the usage', async () => {
  await store(minutes('a', start, 1440))
  const mine = owner
  owner = { ...owner, tenantNumber: await insertTenant(database, `t${++tenants}`) }
  await store(minutes('a', start, 1440))
  await pack()
  await keep(1, 1000)
  await runNight(nightOf(start + DAY_MS))
  expect(await readUsage(database.db, owner.tenantNumber)).toEqual([
    expect.objectContaining({ tier: 'rollups', values: 0, day: start / DAY_MS }),
  ])
  const expiring = (days: number | null, rollupDays: number | null) =>
    measureExpiring(database.db, owner.tenantNumber, { days, rollupDays, nowMs: start + 10 * DAY_MS })
  expect(await expiring(1, 1000)).toMatchObject({ samples: 0, bytes: 0 })
  expect(await expiring(null, 1000)).toMatchObject({ before: null, samples: 0, bytes: 0 })
  expect((await expiring(null, null)).bytes).toBeGreaterThan(0)
  expect((await expiring(1, 5)).bytes).toBeGreaterThan(0)
  owner = mine
  expect([await countRows('packed_rows'), await countRows('kept_rollups')]).toEqual([1, 0])
})
