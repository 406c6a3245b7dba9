/** Which rollups share a row once their samples are deleted. [docs/telemetry#rollups-that-are-kept] */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  every,
  HALF_HOUR_MS,
  type KeptWorld,
  minutes,
  nightOf,
  smallPieces,
  start,
  startKeptWorld,
} from '../../../test/harness/kept-world.ts'
import { cutExpiredPieces } from '../storage/packed/cut-expired.ts'
import { DAY_MS } from '../storage/partition-names.ts'

let world: KeptWorld
beforeAll(async () => {
  world = await startKeptWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => world.enterTenant())

test('the nights of a slow sensor share a row of a month at most', async () => {
  const days = Array.from({ length: 40 }, (_, day) => day)
  await world.store(days.map((day) => ({ name: 'a', time: start + day * DAY_MS, value: day })))
  await world.pack()
  await world.keep(1, 1000)
  for (const day of days) await world.runNight(nightOf(start + (day + 1) * DAY_MS))
  expect([await world.countRows('packed_rows'), await world.countRows('kept_rollups')]).toEqual([0, 2])
  const daily = {
    interval: { unit: 'days', count: 1 },
    from: start,
    to: start + 40 * DAY_MS,
  } as const
  expect(await world.query('a', { type: 'sum', ...daily })).toEqual(
    days.map((day) => [start + day * DAY_MS, day]),
  )
})

test('the pieces of a fast stream share a row, of one transaction and of many', async () => {
  const values = 3 * 3600
  const samples = every('a', { fromMs: start + 1, stepMs: 1000, count: values })
  await world.store(samples)
  await world.pack(smallPieces(100))
  await world.keep(1, 1000)
  await cutExpiredPieces(world.database, {
    nowMs: nightOf(start + DAY_MS),
    limits: { cells: 1000, kept: { bytes: 2000, bytesASeries: 0 } },
  })
  expect([await world.countRows('packed_rows'), await world.countRows('kept_rollups')]).toEqual([0, 1])
  const halfHours = {
    interval: { unit: 'ms', count: HALF_HOUR_MS },
    from: start,
    to: start + DAY_MS,
  } as const
  expect(await world.query('a', { type: 'first', ...halfHours })).toEqual(
    [0, 1, 2, 3, 4, 5].map((half) => [start + half * HALF_HOUR_MS, half * 1800]),
  )
  // Each of the five minutes is one rollup, not one for each piece.
  const { rows } = await world.database.pool.query<{ bytes: number }>(
    'select octet_length(data) as bytes from kept_rollups where tenant_number = $1',
    [world.owner.tenantNumber],
  )
  expect(rows[0]!.bytes).toBeLessThan(36 * 10)
})

test('of messages of one millisecond, none is lost where they are in pieces of two transactions', async () => {
  const samples = [0, 1, 2].flatMap(() => every('a', { fromMs: start, stepMs: 1, count: 200 }))
  await world.store(samples)
  await world.pack(smallPieces(50))
  await world.keep(1, 1000)
  await cutExpiredPieces(world.database, {
    nowMs: nightOf(start + DAY_MS),
    limits: { cells: 1, kept: { bytes: 2000, bytesASeries: 0 } },
  })
  const sum = { type: 'sum', from: start, to: start + DAY_MS } as const
  expect(await world.query('a', sum)).toEqual([[start, (3 * 199 * 200) / 2]])
  expect(await world.countRows('packed_rows')).toBe(0)
})

test('a large row gets no more rollups; series with and without those of five minutes do not share a row', async () => {
  const noise = (index: number) => Math.sin(index * 12.9898) * 43758.5453
  for (const day of [0, 1])
    await world.store(every('a', { fromMs: start + day * DAY_MS, stepMs: 10_000, count: 2160 }, noise))
  await world.pack()
  await world.keep(1, 1000)
  await world.runNight(nightOf(start + 2 * DAY_MS))
  expect(await world.countRows('kept_rollups')).toBe(2)

  await world.enterTenant()
  const hours = (day: number, stepMs: number) =>
    every('a', { fromMs: start + day * DAY_MS, stepMs, count: (3 * 3_600_000) / stepMs })
  await world.store([...hours(0, 10_000), ...hours(1, 20_000), ...hours(2, 60_000), ...hours(3, 10_000)])
  await world.pack()
  await world.keep(1, 1000)
  await world.runNight(nightOf(start + 4 * DAY_MS))
  expect(await world.countRows('kept_rollups')).toBe(3)
  const fine = { interval: { unit: 'ms', count: 300_000 } } as const
  const counts = []
  for (const day of [0, 1, 2, 3]) {
    const from = start + day * DAY_MS
    counts.push((await world.query('a', { type: 'max', ...fine, from, to: from + DAY_MS })).length)
  }
  // Half hours are longer than the buckets.
  expect(counts).toEqual([36, 36, 0, 36])
})

test('a query that has read the rollups of a part of a half hour finds the other part, although it is rolled up meanwhile', async () => {
  await world.store(minutes('a', start, 1440))
  await world.pack(smallPieces(50))
  await world.keep(1, 1000)
  const nowMs = nightOf(start + DAY_MS)
  const limits = { cells: 50, kept: { bytes: 2000, bytesASeries: 0 } }
  let after: number | undefined
  do after = await cutExpiredPieces(world.database, { after, nowMs, limits, untilMs: 0 })
  while (after !== undefined && (await world.countRows('kept_rollups')) === 0)
  let slices = 0
  const executor = world.database.db.getExecutor()
  const provideConnection: typeof executor.provideConnection = async (consumer) => {
    if (++slices === 2) await cutExpiredPieces(world.database, { nowMs, limits })
    return executor.provideConnection(consumer)
  }
  const db = Object.create(world.database.db, {
    getExecutor: { value: () => ({ provideConnection }) },
  }) as typeof world.database.db
  const sum = { type: 'sum', from: start, to: start + DAY_MS } as const
  expect(await world.query('a', sum, db)).toEqual([[start, (1439 * 1440) / 2]])
  expect([slices > 1, await world.countRows('packed_rows')]).toEqual([true, 0])
})
