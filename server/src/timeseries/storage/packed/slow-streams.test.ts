/** Streams with a few values a day, whose days share pieces. [docs/telemetry#packed] */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { afterStatement } from '../../../../test/harness/after-statement.ts'
import { testDatabase, type TestDatabase } from '../../../../test/harness/database.ts'
import { testLog as log } from '../../../../test/harness/log.ts'
import { listPackedPieces } from '../../../../test/harness/packed-pieces.ts'
import { insertTenant, storeSamples, type TestSample } from '../../../../test/harness/telemetry.ts'
import { measureExpiring } from '../../usage/read-usage.ts'
import { dayNumber, DAY_MS } from '../partition-names.ts'
import type { Owner } from '../series-key.ts'
import { cutExpiredPieces } from './cut-expired.ts'
import { describeRow, findPackedMessages } from './find-packed.ts'
import { MERGE_LIMITS, PACKED_CELLS } from './merge-limits.ts'
import { lockForChangedRows } from './pack-lock.ts'
import { packSamples } from './pack-samples.ts'
import { listPackedDays } from './packed-days.ts'
import { listPieces as listPlaces, listPiecesBefore } from './piece-places.ts'

let database: TestDatabase
let tenants = 0
let owner: Owner
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  owner = {
    tenantNumber: await insertTenant(database, `t${++tenants}`),
    ownerType: 'client',
    ownerId: 'meter',
  }
})

/** Before the days that have partitions of their own. */
const firstDay = dayNumber(Date.UTC(2020, 0))
const start = firstDay * DAY_MS
const pack = (nowMs?: number) => packSamples({ ...database, log }, nowMs === undefined ? {} : { nowMs })
const store = (samples: TestSample[], one = owner) => storeSamples(database, one, samples)
const listPieces = () => listPackedPieces(database.pool, owner.tenantNumber)

/** One value at eight o'clock. */
const onDay = (day: number) => ({
  name: 'energy',
  time: start + day * DAY_MS + 8 * 3_600_000,
  value: 1000 + day * 2.5,
})
const onDays = (count: number) => Array.from({ length: count }, (_, day) => onDay(day))

test('100 days with a value each are one piece, of which each takes fewer than 20 bytes', async () => {
  await store(onDays(210))
  await pack()
  expect((await listPieces()).map(({ times }) => times.length)).toEqual([100, 100, 10])
  const found = await listPackedDays(database.db, owner.tenantNumber)
  const days = [...found.values()].toSorted((a, b) => a.day - b.day)
  expect(days.map(({ day, values }) => [day - firstDay, values])).toEqual(
    Array.from({ length: 210 }, (_, day) => [day, 1]),
  )
  expect(days.slice(0, 200).reduce((sum, { bytes }) => sum + bytes, 0) / 200).toBeLessThan(20)
})

test('a day that is packed later is added to the piece before it', async () => {
  for (let day = 0; day < 5; day++) {
    await store([onDay(day)])
    await pack(start + (day + 2) * DAY_MS)
    const times = onDays(day + 1).map(({ time }) => time)
    expect((await listPieces()).map((piece) => [...piece.times])).toEqual([times])
  }
})

const LIMITS = {
  rows: 20_000,
  cells: PACKED_CELLS,
  streams: 500,
  pieceRows: 25_000,
  pieceCells: 500_000,
  merged: MERGE_LIMITS,
}

/** As versions did before pieces of several days. */
const packDaysAlone = (nowMs: number) =>
  packSamples({ ...database, log }, { nowMs, limits: { ...LIMITS, merged: { rows: 0, cells: 0, days: 1 } } })

test('days that were packed alone are joined when the next one is packed, up to a day that is too large', async () => {
  const dense = Array.from({ length: 190 }, (_, row) => ({
    ...onDay(1),
    time: start + DAY_MS + row * 1000,
  }))
  const days = onDays(31)
  const samples = [days[0]!, ...dense, ...days.slice(2)]
  const silent = { ...owner, ownerId: 'silent' }
  await store(samples.slice(0, -1))
  await store(days.slice(0, 3), silent)
  await packDaysAlone(start + 31 * DAY_MS)
  expect((await listPieces()).map(({ times }) => times.length)).toEqual([
    1,
    190,
    ...Array(28).fill(1),
    1,
    1,
    1,
  ])
  await store(samples.slice(-1))
  await pack(start + 32 * DAY_MS)
  const pieces = await listPieces()
  expect(pieces.map(({ times }) => times.length)).toEqual([1, 190, 29, 1, 1, 1])
  const ownTimes = pieces.slice(0, 3).flatMap(({ times }) => [...times])
  expect(ownTimes).toEqual(samples.map(({ time }) => time))
  const found = [...(await listPackedDays(database.db, owner.tenantNumber)).values()]
  expect(found.map(({ day, values }) => [day - firstDay, values]).toSorted((a, b) => a[0]! - b[0]!)).toEqual(
    Array.from({ length: 31 }, (_, day) => [day, day === 1 ? 191 : day < 3 ? 2 : 1]),
  )
})

test('of the pieces before a day, those are listed that fit together, up to one with a text', async () => {
  const rowsOn = (day: number) =>
    Array.from({ length: 30 }, (_, row) => ({ ...onDay(day), time: onDay(day).time + row }))
  await store([0, 2, 3, 4, 5, 6].flatMap(rowsOn))
  await store([{ ...onDay(1), value: 'a' }])
  await packDaysAlone(start + 9 * DAY_MS)
  const { rows } = await database.pool.query<{ number: number }>(
    'select number from streams where tenant_number = $1',
    [owner.tenantNumber],
  )
  const place = { tenantNumber: owner.tenantNumber, streamNumber: rows[0]!.number }
  const [places] = await listPlaces(database.db, [{ ...place, day: firstDay + 7 }])
  const listDays = async (addedRows: number, days = 100) => {
    const one = { ...place, piece: places![0]!, addedRows }
    const [found] = await listPiecesBefore(database.db, [one, one], { rows: 200, days })
    return found!.map(({ firstMs }) => dayNumber(firstMs) - firstDay)
  }
  // The last piece has 30 rows too.
  expect(await listDays(80)).toEqual([5, 4, 3])
  expect(await listDays(81)).toEqual([5, 4])
  expect(await listDays(171)).toEqual([])
  expect(await listDays(1)).toEqual([5, 4, 3, 2])
  expect(await listDays(1, 2)).toEqual([5, 4])
})

test('a transaction joins a limited number of values', async () => {
  const owners = Array.from({ length: 30 }, (_, index) => ({ ...owner, ownerId: `meter ${index}` }))
  for (const one of owners) await store(onDays(7), one)
  await packDaysAlone(start + 7 * DAY_MS + DAY_MS)
  expect(await listPieces()).toHaveLength(30 * 7)
  for (const one of owners) await store([onDay(7)], one)
  // Each of the 30 streams has 21 values in its pieces: one, the time and the message of each of seven days.
  await packSamples({ ...database, log }, { nowMs: start + 9 * DAY_MS, limits: { ...LIMITS, cells: 300 } })
  const pieces = await listPieces()
  expect(pieces.map(({ times }) => times.length)).toEqual(owners.map(() => 8))
  const { rows } = await database.pool.query<{ pieces: number }>(
    'select count(*)::int as pieces from packed_rows where tenant_number = $1 group by xmin::text',
    [owner.tenantNumber],
  )
  expect(rows.length).toBeGreaterThan(1)
})

const readVersions = async () => {
  const { rows } = await database.pool.query<{ start: Date; version: string }>(
    'select first_time as start, xmin::text as version from packed_rows where tenant_number = $1',
    [owner.tenantNumber],
  )
  return new Map(rows.map((row) => [row.start.getTime(), row.version]))
}

/** 50 kB that take about 100 bytes. */
const longText = (day: number) => ({ ...onDay(day), value: 'a'.repeat(50_000) })
const later = (day: number) => ({ ...onDay(day), time: onDay(day).time + 1 })
test.each([
  ['a text a day', (day: number) => [longText(day)], [3, 3, 3]],
  [
    'a text and then a number a day, later only the number',
    (day: number) => (day < 6 ? [longText(day), later(day)] : [later(day)]),
    [3, 6],
  ],
])('of a stream with %s, at most one piece is packed again each day', async (_what, listDay, expected) => {
  for (let day = 0; day < 9; day++) {
    const before = await readVersions()
    await store(listDay(day))
    await pack(start + (day + 2) * DAY_MS)
    const after = await readVersions()
    const again = [...before].filter(([time, version]) => after.get(time) !== version)
    expect(again.length).toBeLessThanOrEqual(1)
  }
  const pieces = await listPieces()
  expect(pieces.map(({ times }) => new Set(times.map(dayNumber)).size)).toEqual(expected)
})

test('a day with many rows is a piece of its own, and so are the days around it', async () => {
  const dense = Array.from({ length: 300 }, (_, row) => ({
    ...onDay(2),
    time: start + 2 * DAY_MS + row * 1000,
  }))
  await store([onDay(0), onDay(1), ...dense, onDay(3), onDay(4)])
  await pack()
  expect((await listPieces()).map(({ times }) => times.length)).toEqual([2, 300, 2])
})

test('many late rows inside a piece divide it between days', async () => {
  await store(onDays(20))
  await pack()
  const late = Array.from({ length: 300 }, (_, row) => ({
    ...onDay(9),
    time: start + 9 * DAY_MS + row * 1000,
  }))
  await store(late)
  await pack()
  expect((await listPieces()).map(({ times }) => times.length)).toEqual([9, 301, 10])
  const { rows } = await database.pool.query(
    'select day_values from packed_rows where tenant_number = $1 order by first_time',
    [owner.tenantNumber],
  )
  expect(rows.map(({ day_values: values }) => values)).toEqual([Array(9).fill(1), null, Array(10).fill(1)])
})

test('large texts do not share a piece', async () => {
  const text = 'a'.repeat(50_000)
  await store([0, 1, 2, 3, 4, 5].map((day) => ({ ...onDay(day), value: text })))
  await pack()
  expect((await listPieces()).map(({ times }) => times.length)).toEqual([3, 3])
})

const setRetention = (firstKept: number, nowMs = Date.now()) =>
  database.pool.query('update tenants set telemetry_retention_days = $2 where number = $1', [
    owner.tenantNumber,
    dayNumber(nowMs) - firstDay - firstKept,
  ])

test('a retention that ends within a piece deletes what it said it would', async () => {
  const nowMs = Date.now()
  await store(onDays(10))
  await pack()
  const days = dayNumber(nowMs) - firstDay - 4
  const expiring = await measureExpiring(database.db, owner.tenantNumber, { days, rollupDays: null, nowMs })
  expect(expiring).toMatchObject({ samples: 4, isEstimate: false })
  await setRetention(4, nowMs)
  expect(await cutExpiredPieces(database, { nowMs })).toBeUndefined()
  const times = onDays(10).map(({ time }) => time)
  expect((await listPieces()).map((piece) => [...piece.times])).toEqual([times.slice(4)])
})

test('a transaction packs a limited amount of text again', async () => {
  // Random texts cannot be compressed: 15 of them take 110 kB, of which a transaction has 2 MB at most.
  const onDayWithText = (day: number) => ({ ...onDay(day), value: randomBytes(7500).toString('base64') })
  const owners = Array.from({ length: 24 }, (_, index) => ({ ...owner, ownerId: `meter ${index}` }))
  const storeDays = async (days: number[]) => {
    for (const one of owners) await store(days.map(onDayWithText), one)
    await pack()
  }
  const countTransactions = async () => {
    const { rows } = await database.pool.query<{ count: number }>(
      'select count(distinct xmin::text)::int as count from packed_rows where tenant_number = $1',
      [owner.tenantNumber],
    )
    return rows[0]!.count
  }
  await storeDays(onDays(14).map((_, day) => day))
  await storeDays([14])
  expect((await listPieces()).map(({ times }) => times.length)).toEqual(owners.map(() => 15))
  expect(await countTransactions()).toBe(2)
  await setRetention(1)
  await cutExpiredPieces(database)
  expect((await listPieces()).map(({ times }) => times.length)).toEqual(owners.map(() => 14))
  expect(await countTransactions()).toBe(2)
})

test('an import that changes stored rows delays the retention', async () => {
  await store(onDays(10))
  await pack()
  await setRetention(4)
  let cut: Promise<number | undefined> | undefined
  await database.db.transaction().execute(async (tx) => {
    await lockForChangedRows(tx)
    await new Promise<void>((resolve, reject) => {
      // The second statement is its second attempt.
      const db = afterStatement(database.db, 2, () => Promise.resolve(resolve()))
      cut = cutExpiredPieces({ ...database, db })
      cut.catch(reject)
    })
    expect((await listPieces()).map(({ times }) => times.length)).toEqual([10])
  })
  expect(await cut).toBeUndefined()
  expect((await listPieces()).map(({ times }) => times.length)).toEqual([6])
})

test('a piece is not written again once its stream is deleted, since the job that deletes it would miss the new one', async () => {
  await store(onDays(10))
  await pack()
  await setRetention(4)
  const readPieces = async () => {
    const { rows } = await database.pool.query(
      'select xmin::text, row_count from packed_rows where tenant_number = $1',
      [owner.tenantNumber],
    )
    return rows
  }
  const before = await readPieces()
  const deleteStream = async () => {
    await database.pool.query('delete from series where tenant_number = $1', [owner.tenantNumber])
    await database.pool.query('delete from streams where tenant_number = $1', [owner.tenantNumber])
  }
  // The second statement lists the pieces.
  const db = afterStatement(database.db, 2, deleteStream)
  expect(await cutExpiredPieces({ ...database, db })).toBeUndefined()
  expect(before).toMatchObject([{ row_count: 10 }])
  expect(await readPieces()).toEqual(before)
})

/** The piece has the days 1 to 20; the message to find is that of day 20. */
test.each([
  ['begins with another row', [onDay(0)]],
  ['has one more row', [{ ...onDay(9), time: onDay(9).time + 1 }]],
  [
    'has fewer days',
    Array.from({ length: 300 }, (_, row) => ({ ...onDay(1), time: onDay(1).time + row + 1 })),
  ],
])('a repeat is found in a piece that is packed again between two statements and %s', async (_name, late) => {
  const { rows } = await store(onDays(21).slice(1))
  await pack()
  const again = async () => {
    await store(late)
    await pack()
  }
  const message = describeRow(rows.at(-1)!)
  const found = await findPackedMessages(afterStatement(database.db, 1, again), [message])
  expect(found).toEqual(new Set([0]))
})

test('a retention reaches the streams behind thousands of others, in turns that each continue where one ended', async () => {
  const addStreams = () =>
    database.pool.query(
      `insert into streams (tenant_number, owner_type, owner_id, type)
       select $1::int, 'client', gen_random_uuid(), 'telemetry' from generate_series(1, 1500)`,
      [owner.tenantNumber],
    )
  await addStreams()
  await store(onDays(10))
  await addStreams()
  await pack()
  await setRetention(4)
  let turns = 1
  const turn = (after?: number) => cutExpiredPieces(database, { after, untilMs: 0 })
  for (let after = await turn(); after !== undefined; turns++) after = await turn(after)
  expect(turns).toBeGreaterThanOrEqual(4)
  expect((await listPieces()).map(({ times }) => times.length)).toEqual([6])
})
