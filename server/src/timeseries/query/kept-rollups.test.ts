/** Once samples are older than the retention, their rollups answer in their place. [docs/telemetry#retention] */
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  HALF_HOUR_MS,
  type KeptQuery,
  type KeptWorld,
  minutes,
  nightOf,
  smallPieces,
  start,
  startKeptWorld,
} from '../../../test/harness/kept-world.ts'
import { killAfter } from '../../../test/harness/kill-after.ts'
import { rounds } from '../../../test/harness/rounds.ts'
import { storeSamples, type TestSample } from '../../../test/harness/telemetry.ts'
import { aggregationTypes } from '../../lib/aggregation-types.ts'
import { deleteSamples } from '../storage/delete-samples.ts'
import { type CutLimits, cutExpiredPieces } from '../storage/packed/cut-expired.ts'
import { DAY_MS } from '../storage/partition-names.ts'
import { listSeriesNamed } from '../storage/series.ts'
import { measureExpiring, readUsage } from '../usage/read-usage.ts'

let world: KeptWorld
beforeAll(async () => {
  world = await startKeptWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => world.enterTenant())

const intervals: Pick<KeptQuery, 'interval' | 'timeZone'>[] = [
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

/** The first ones make rows of several pieces in many transactions. */
const cutLimits: (CutLimits | undefined)[] = [
  { cells: 400, kept: { bytes: 300, bytesASeries: 0 } },
  { cells: 100, kept: { bytes: 5000, bytesASeries: 0 } },
  undefined,
]

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
      fc.constantFrom(50, 25_000),
      fc.constantFrom(...cutLimits),
      fc.array(fc.nat(60), { minLength: 1, maxLength: 4 }),
      async (all, days, span, interval, pieceRows, limits, kills) => {
        await world.enterTenant()
        const samples = all.flatMap((one, index) => listSamples(`s${index}`, one))
        fc.pre(samples.length > 0)
        for (let at = 0; at < samples.length; at += 5000) await world.store(samples.slice(at, at + 5000))
        await world.pack(smallPieces(pieceRows))
        const names = [...new Set(samples.map(({ name }) => name))]
        const answer = async () => {
          const found = []
          for (const name of names)
            for (const type of types) found.push(await world.query(name, { type, ...interval, ...span }))
          return found
        }
        const before = await answer()
        await world.keep(1, 1000)
        for (const [night, statements] of kills.entries()) {
          const nowMs = nightOf(start + Math.min(night + 1, days) * DAY_MS)
          const killed = { ...world.database, db: killAfter(world.database.db, statements) }
          await cutExpiredPieces(killed, { nowMs, limits }).catch(() => {})
          expect(await answer()).toEqual(before)
        }
        await world.runNight(nightOf(start + days * DAY_MS))
        expect(await answer()).toEqual(before)
        kept += await world.countRows('kept_rollups')
        const { rows } = await world.database.pool.query(
          'select from packed_rows where tenant_number = $1 and first_time < $2::timestamptz',
          [world.owner.tenantNumber, new Date(start + days * DAY_MS).toISOString()],
        )
        expect(rows).toEqual([])
      },
    ),
    { numRuns: rounds(100, 8) },
  )
  expect(kept).toBeGreaterThan(0)
})

const whole = { from: start, to: start + 3 * DAY_MS }
const daily = { interval: { unit: 'days', count: 1 } as const }

test('a span or bucket that ends inside a half hour has nothing of it, a median has samples only', async () => {
  await world.store(minutes('a', start, 2 * 1440))
  await world.pack()
  await world.keep(1, 1000)
  await world.runNight(nightOf(start + DAY_MS))
  const from = start + 5 * 60_000
  expect(await world.query('a', { type: 'first', from, to: start + 70 * 60_000 })).toEqual([[from, 30]])
  expect(await world.query('a', { type: 'last', from, to: start + 70 * 60_000 })).toEqual([[from, 59]])
  const interval = { unit: 'ms', count: 7 * 60_000 } as const
  const points = await world.query('a', { type: 'min', interval, ...whole })
  expect(points[0]![0]).toBeGreaterThan(start + DAY_MS - interval.count)
  expect(await world.query('a', { type: 'median', ...daily, ...whole })).toEqual([
    [start + DAY_MS, 1440 + 719.5],
  ])
  // Days in Nepal begin at 18:15 UTC: of each, the half hour from 18:00 is left out.
  const inNepal = { ...daily, timeZone: 'Asia/Kathmandu', from: start, to: start + DAY_MS }
  const [first, second] = await world.query('a', { type: 'max', ...inNepal })
  expect([first![1], second![1]]).toEqual([18 * 60 - 1, 1439])
  expect(await world.query('a', { type: 'min', ...inNepal })).toEqual([
    [first![0], 0],
    [second![0], 18 * 60 + 30],
  ])
})

test('numbers have rollups beside other values; a sum that two doubles cannot hold is rounded', async () => {
  await world.store(minutes('mixed', start, 60, (index) => (index % 2 === 0 ? index : 'off')))
  await world.store(minutes('wide', start, 60, (index) => [1e300, 1, 1e-300][index % 3]))
  await world.store(minutes('text', start, 60, () => 'on'))
  await world.pack()
  await world.keep(1, 1000)
  await world.runNight(nightOf(start + DAY_MS))
  expect(await world.query('mixed', { type: 'max', ...daily, ...whole })).toEqual([[start, 58]])
  expect(await world.query('wide', { type: 'sum', ...daily, ...whole })).toEqual([[start, 2e301]])
  expect(await world.query('wide', { type: 'min', ...daily, ...whole })).toEqual([[start, 1e-300]])
  expect(await world.query('text', { type: 'last', ...daily, ...whole })).toEqual([])
})

test('samples are deleted only once they are packed, and late ones do not change a complete day', async () => {
  await world.store(minutes('a', start, 1440))
  await world.keep(1, 1000)
  await world.runNight(nightOf(start + DAY_MS))
  expect([await world.countRows('sample_rows'), await world.countRows('kept_rollups')]).toEqual([1440, 0])
  await world.pack()
  await world.runNight(nightOf(start + DAY_MS))
  expect([await world.countRows('packed_rows'), await world.countRows('kept_rollups')]).toEqual([0, 1])
  const sum = await world.query('a', { type: 'sum', ...daily, ...whole })
  expect(sum).toEqual([[start, (1439 * 1440) / 2]])
  // The same again, as from a file that is imported twice, and others.
  await world.store([...minutes('a', start, 1440), ...minutes('a', start + 1, 60)])
  await world.runNight(nightOf(start + DAY_MS))
  expect(await world.countRows('sample_rows')).toBe(1500)
  await world.pack()
  expect(await world.query('a', { type: 'sum', ...daily, ...whole })).toEqual(sum)
  await world.runNight(nightOf(start + DAY_MS))
  expect([await world.countRows('packed_rows'), await world.countRows('kept_rollups')]).toEqual([0, 1])
  expect(await world.query('a', { type: 'sum', ...daily, ...whole })).toEqual(sum)
})

test('a day is rolled up once all of it is packed; a device with a wrong clock does not hold up the others', async () => {
  await world.store([...minutes('a', start, 1440), ...minutes('a', start + DAY_MS, 1440)])
  await world.pack()
  await world.keep(1, 1000)
  await world.store(minutes('a', start + 1, 1))
  await world.runNight(nightOf(start + DAY_MS))
  expect(await world.countRows('kept_rollups')).toBe(0)
  await world.pack()
  await world.runNight(nightOf(start + DAY_MS))
  expect([await world.countRows('packed_rows'), await world.countRows('kept_rollups')]).toEqual([1, 1])
  expect(await world.query('a', { type: 'sum', from: start, to: start + DAY_MS })).toEqual([
    [start, (1439 * 1440) / 2],
  ])
  await world.store([...minutes('a', 0, 1), ...minutes('a', start + 2, 1)])
  await world.runNight(nightOf(start + 2 * DAY_MS))
  expect([await world.countRows('packed_rows'), await world.countRows('kept_rollups')]).toEqual([0, 1])
})

test('a run that was broken off begins again, with a longer retention, too', async () => {
  const other = { ...world.owner, ownerId: 'valve' }
  await world.store([...minutes('a', start, 1440), ...minutes('a', start + DAY_MS, 1440)])
  await storeSamples(world.database, other, minutes('a', start, 1440))
  await world.pack()
  await world.keep(1, 1000)
  // A change covers a hundred streams, and the tests before have made others.
  let after: number | undefined
  do after = await cutExpiredPieces(world.database, { after, nowMs: nightOf(start + DAY_MS), untilMs: 0 })
  while (after !== undefined && (await world.countRows('kept_rollups')) === 0)
  expect(await world.countRows('kept_rollups')).toBeGreaterThan(0)
  const total = [[start, 1439 * 1440]]
  expect(await world.query('a', { type: 'sum', from: start, to: start + 2 * DAY_MS })).toEqual(total)
  await world.store(minutes('a', start, 1440))
  await world.pack()
  await world.runNight(nightOf(start + DAY_MS))
  expect(await world.query('a', { type: 'sum', from: start, to: start + 2 * DAY_MS })).toEqual(total)
  await world.keep(900, 1000)
  expect(await world.query('a', { type: 'sum', from: start, to: start + 2 * DAY_MS })).toEqual(total)
})

test('rollups go with their own retention, without one, and with their series', async () => {
  const all = async () => {
    for (const day of [0, 20, 40]) await world.store(minutes('a', start + day * DAY_MS, 1440))
    await world.pack()
    await world.keep(1, 10)
    await world.runNight(nightOf(start + 41 * DAY_MS))
    // Of the first two days, and of the last one.
    expect(await world.countRows('kept_rollups')).toBe(2)
  }
  await all()
  const measure = async (nowMs: number) =>
    (await measureExpiring(world.database.db, world.owner.tenantNumber, { days: 1, rollupDays: 10, nowMs }))
      .bytes
  // A row goes as a whole, once its last rollups expire.
  expect(await measure(start + 30 * DAY_MS)).toBe(0)
  expect(await measure(start + 31 * DAY_MS)).toBeGreaterThan(0)
  await world.runNight(start + 30 * DAY_MS)
  expect(await world.countRows('kept_rollups')).toBe(2)
  await world.runNight(start + 31 * DAY_MS)
  expect(await world.countRows('kept_rollups')).toBe(1)
  await world.keep(1, null)
  await world.runNight(start + 32 * DAY_MS)
  expect(await world.countRows('kept_rollups')).toBe(0)

  await world.enterTenant()
  await all()
  const [series] = await listSeriesNamed(world.database.db, [world.owner], ['a'])
  await deleteSamples(world.database.pool, {
    tenantNumber: world.owner.tenantNumber,
    seriesNumbers: [series!.number],
    streamNumbers: [series!.streamNumber],
  })
  expect(await world.countRows('kept_rollups')).toBe(0)
})

test('another tenant keeps its samples, and rollups count as such in the usage', async () => {
  await world.store(minutes('a', start, 1440))
  const mine = world.owner
  await world.enterTenant()
  await world.store(minutes('a', start, 1440))
  await world.pack()
  await world.keep(1, 1000)
  await world.runNight(nightOf(start + DAY_MS))
  expect(await readUsage(world.database.db, world.owner.tenantNumber)).toEqual([
    expect.objectContaining({ tier: 'rollups', isKept: true, values: 0, day: start / DAY_MS }),
  ])
  const expiring = (days: number | null, rollupDays: number | null) =>
    measureExpiring(world.database.db, world.owner.tenantNumber, {
      days,
      rollupDays,
      nowMs: start + 10 * DAY_MS,
    })
  expect(await expiring(1, 1000)).toMatchObject({ samples: 0, bytes: 0 })
  expect(await expiring(null, 1000)).toMatchObject({ before: null, samples: 0, bytes: 0 })
  expect((await expiring(null, null)).bytes).toBeGreaterThan(0)
  expect((await expiring(1, 5)).bytes).toBeGreaterThan(0)
  world.owner = mine
  expect([await world.countRows('packed_rows'), await world.countRows('kept_rollups')]).toEqual([1, 0])
})
