/** Rows are packed while others are written, read and deleted, with interruptions at any moment. */
import fc from 'fast-check'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../../test/harness/database.ts'
import { Killed, killAfter } from '../../../../test/harness/kill-after.ts'
import { testLog as log } from '../../../../test/harness/log.ts'
import { listPackedCells, listPackedPieces } from '../../../../test/harness/packed-pieces.ts'
import { rounds } from '../../../../test/harness/rounds.ts'
import { insertTenant, storeSamples, type TestSample } from '../../../../test/harness/telemetry.ts'
import { deleteSamples } from '../delete-samples.ts'
import { dayNumber, DAY_MS, dayPartition, restPartition } from '../partition-names.ts'
import { listPartitions } from '../partitions.ts'
import type { Owner } from '../series-key.ts'
import { cutExpiredPieces } from './cut-expired.ts'
import type { UnpackedRows } from './unpacked-rows.ts'
import { deleteExpiredPacked } from './delete-packed.ts'
import { MERGE_LIMITS } from './merge-limits.ts'
import { restsBehind } from './give-way.ts'
import { type PackPlace, packSamples } from './pack-samples.ts'
import { createPackingMetrics, readPackingLag } from './packing-lag.ts'
import type { PackLimits } from './row-key.ts'

let database: TestDatabase
let tenants = 0
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const makeOwner = async (): Promise<Owner> => ({
  tenantNumber: await insertTenant(database, `t${++tenants}`),
  ownerType: 'client',
  ownerId: 'a',
})
const today = dayNumber(Date.now()) * DAY_MS
const closed = today - 5 * DAY_MS
const pack = (limits?: PackLimits) => packSamples({ ...database, log }, limits && { limits })
const tiny: PackLimits = {
  rows: 3,
  cells: 8,
  streams: 2,
  pieceRows: 4,
  pieceCells: 16,
  merged: { rows: 3, cells: 8, days: 2 },
}

const listPieces = ({ tenantNumber }: Owner) => listPackedPieces(database.pool, tenantNumber)
const listCells = (pieces: UnpackedRows[]) => listPackedCells(pieces).toSorted(byKey)

const byKey = (a: unknown[], b: unknown[]) =>
  Number(a[0]) - Number(b[0]) || Number(a[1]) - Number(b[1]) || Number((a[2] as bigint) - (b[2] as bigint))

async function countRows({ tenantNumber }: Owner): Promise<number> {
  const { rows } = await database.pool.query(
    'select count(*)::int as count from sample_rows where tenant_number = $1',
    [tenantNumber],
  )
  return rows[0].count
}

test('a day is packed six hours after its end, and its partition is dropped', async () => {
  const owner = await makeOwner()
  const day = dayNumber(closed)
  await storeSamples(database, owner, [
    { name: 'a', time: closed, value: 1 },
    { name: 'a', time: closed + DAY_MS - 1, value: 2 },
    { name: 'a', time: closed + DAY_MS, value: 3 },
  ])
  const packAt = (nowMs: number) => packSamples({ ...database, log }, { nowMs })
  const end = closed + DAY_MS
  await packAt(end + 6 * 3_600_000 - 1)
  expect(await listPieces(owner)).toEqual([])
  await packAt(end + 6 * 3_600_000)
  expect(await listPieces(owner)).toMatchObject([{ firstTime: closed, lastTime: end - 1 }])
  expect(await countRows(owner)).toBe(1)
  const partitions = await listPartitions(database.pool)
  expect(partitions).not.toContain(dayPartition(day))
  expect(partitions).toContain(dayPartition(day + 1))
})

test('rows too old for a partition of their own are packed, and future rows are kept', async () => {
  const owner = await makeOwner()
  const old = today - 900 * DAY_MS
  const times = [old, old + 1, old + DAY_MS, Date.parse('0001-01-01T00:00:00Z'), today + 100 * DAY_MS]
  await storeSamples(
    database,
    owner,
    times.map((time) => ({ name: 'a', time, value: 1 })),
  )
  await pack()
  expect((await listPieces(owner)).map((piece) => [...piece.times])).toEqual([
    [Date.parse('0001-01-01T00:00:00Z')],
    [old, old + 1, old + DAY_MS],
  ])
  expect(await countRows(owner)).toBe(1)
  expect(await listPartitions(database.pool)).toContain(restPartition)
})

const anySample: fc.Arbitrary<TestSample> = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  time: fc.oneof(
    fc.integer({ min: 0, max: 5 }).map((ms) => closed + ms),
    fc.integer({ min: -2, max: 2 }).map((hours) => closed + hours * 3_600_000),
  ),
  messageId: fc.bigInt({ min: -2n, max: 3n }),
  value: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom<unknown>(0, -0, 5e-324, 'on', '"\\\n', true, [1, { b: 'ü' }], { ä: null, a: 1e300 }),
  ),
})

test('each message is stored once, at any time of arrival and of a killed process', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.tuple(fc.array(anySample, { maxLength: 8 }), fc.nat({ max: 30 })), { maxLength: 6 }),
    async (steps) => {
      const owner = await makeOwner()
      const expected = new Map<string, unknown[]>()
      const messages = new Set<string>()
      for (const [samples, statements] of steps) {
        const { stored } = await storeSamples(database, owner, samples)
        for (const { slots, values, timeMs, messageId } of stored) {
          expect(messages.has(`${timeMs} ${messageId}`)).toBe(false)
          messages.add(`${timeMs} ${messageId}`)
          slots.forEach((slot, index) =>
            expected.set(`${slot} ${timeMs} ${messageId}`, [slot, timeMs, messageId, values[index]]),
          )
        }
        const db = killAfter(database.db, statements)
        await packSamples({ pool: database.pool, db, log }, { limits: tiny }).catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error
        })
      }
      // The database frees the lock of a killed run once it has detected the closed connection.
      await expect.poll(() => pack(tiny).then(() => countRows(owner))).toBe(0)
      const pieces = await listPieces(owner)
      expect(listCells(pieces)).toEqual([...expected.values()].toSorted(byKey))
      for (const [index, { times, firstTime, lastTime }] of pieces.entries()) {
        expect([firstTime, lastTime]).toEqual([times[0], times.at(-1)])
        expect(times.length).toBeLessThanOrEqual(tiny.pieceRows)
        expect(pieces[index + 1]?.firstTime ?? Infinity).toBeGreaterThanOrEqual(lastTime)
      }
    },
  )
  await fc.assert(property, { numRuns: rounds(60, 5) })
})

test('repeats that arrive while their messages are packed are stored once', async () => {
  const owner = await makeOwner()
  const samples = Array.from({ length: 60 }, (_, index) => ({
    name: 'a',
    time: closed + index,
    value: index,
    messageId: BigInt(index),
  }))
  await storeSamples(database, owner, samples)
  const stored: number[] = []
  const repeat = async () => {
    for (let start = 0; start < 60; start += 5)
      stored.push((await storeSamples(database, owner, samples.slice(start, start + 5))).stored.size)
  }
  await Promise.all([repeat(), repeat(), pack(tiny)])
  expect(stored.every((count) => count === 0)).toBe(true)
  await pack()
  expect(listCells(await listPieces(owner))).toHaveLength(60)
  const late = await storeSamples(database, owner, [
    ...samples,
    { name: 'a', time: closed, value: 9, messageId: 99n },
  ])
  expect(late.stored.size).toBe(1)
})

test('one node at a time packs', async () => {
  const owner = await makeOwner()
  await storeSamples(
    database,
    owner,
    Array.from({ length: 40 }, (_, index) => ({ name: 'a', time: closed + index, value: index })),
  )
  expect(await Promise.all([1, 2, 3].map(() => pack(tiny)))).toEqual([undefined, undefined, undefined])
  expect(listCells(await listPieces(owner))).toHaveLength(40)
})

test('a late message changes only the piece around it', async () => {
  const owner = await makeOwner()
  const store = (...times: number[]) =>
    storeSamples(
      database,
      owner,
      times.map((time) => ({ name: 'a', time: closed + time, value: time })),
    )
  const versions = async () => {
    const { rows } = await database.pool.query(
      'select xmin::text as version from packed_rows where tenant_number = $1 order by first_time',
      [owner.tenantNumber],
    )
    return rows.map(({ version }) => version)
  }
  await store(...Array.from({ length: 40 }, (_, index) => index * 10))
  await pack(tiny)
  const before = await versions()
  await store(195)
  await pack(tiny)
  const after = await versions()
  expect(before.filter((version) => !after.includes(version)).length).toBeLessThanOrEqual(1)
  expect(after.length).toBeGreaterThanOrEqual(before.length)
})

test('rows with very many series are packed in bounded pieces', async () => {
  const owner = await makeOwner()
  const wide = Array.from({ length: 30 }, (_row, row) =>
    Array.from({ length: 900 }, (_cell, index) => ({
      name: `s${index}`,
      time: closed + row,
      value: row + index / 4,
      messageId: BigInt(row),
    })),
  ).flat()
  await storeSamples(database, owner, wide)
  await pack({
    rows: 20_000,
    cells: 5000,
    streams: 500,
    pieceRows: 25_000,
    pieceCells: 10_000,
    merged: MERGE_LIMITS,
  })
  const pieces = await listPieces(owner)
  expect(pieces.map(({ times }) => times.length).every((rows) => rows <= 12)).toBe(true)
  expect(listCells(pieces)).toHaveLength(27_000)
})

async function expire(): Promise<void> {
  await deleteExpiredPacked(database.pool)
  expect(await cutExpiredPieces(database)).toBeUndefined()
}

const setRetention = ({ tenantNumber }: Owner, days: number) =>
  database.pool.query('update tenants set telemetry_retention_days = $2 where number = $1', [
    tenantNumber,
    days,
  ])

test('samples of deleted streams and those past the retention are deleted, and no others', async () => {
  const owner = await makeOwner()
  const other = { ...owner, ownerId: 'b' }
  for (const one of [owner, other])
    await storeSamples(database, one, [
      { name: 'a', time: closed, value: 1 },
      { name: 'a', time: closed + DAY_MS, value: 2 },
      { name: 'a', time: closed - 100 * DAY_MS, value: 3 },
    ])
  await pack()
  const { rows: streams } = await database.pool.query(
    'select number from streams where tenant_number = $1 order by owner_id',
    [owner.tenantNumber],
  )
  expect(await listPieces(owner)).toHaveLength(4)
  await deleteSamples(database.pool, {
    tenantNumber: owner.tenantNumber,
    seriesNumbers: [],
    streamNumbers: [streams[0].number],
  })
  expect(await listPieces(owner)).toHaveLength(2)
  await expire()
  expect(await listPieces(owner)).toHaveLength(2)
  await setRetention(owner, 5)
  await expire()
  expect((await listPieces(owner)).map(({ times }) => [...times])).toEqual([[closed, closed + DAY_MS]])
  await setRetention(owner, 4)
  await expire()
  expect((await listPieces(owner)).map(({ times }) => [...times])).toEqual([[closed + DAY_MS]])
})

test('rows of a deleted stream are deleted, not packed', async () => {
  const owner = await makeOwner()
  await storeSamples(database, owner, [{ name: 'a', time: closed, value: 1 }])
  await database.pool.query('delete from series where tenant_number = $1', [owner.tenantNumber])
  await database.pool.query('delete from streams where tenant_number = $1', [owner.tenantNumber])
  await pack()
  expect([await listPieces(owner), await countRows(owner)]).toEqual([[], 0])
})

test('a stream that cannot be packed does not stop the others', async () => {
  const owners = [await makeOwner(), await makeOwner(), await makeOwner()]
  for (const owner of owners) await storeSamples(database, owner, [{ name: 'a', time: closed, value: 1 }])
  const { rows } = await database.pool.query('select number from streams where tenant_number = $1', [
    owners[1]!.tenantNumber,
  ])
  const constraint = `alter table packed_rows add constraint refused check (stream_number <> ${rows[0].number})`
  await database.pool.query(constraint)
  await expect(pack()).rejects.toThrow('refused')
  const count = () => Promise.all(owners.map(async (owner) => (await listPieces(owner)).length))
  expect(await count()).toEqual([1, 0, 1])
  expect(await countRows(owners[1]!)).toBe(1)
  await database.pool.query('alter table packed_rows drop constraint refused')
  await pack()
  expect(await count()).toEqual([1, 1, 1])
})

test('a run that stopped continues after its last row', async () => {
  const owners = [await makeOwner(), await makeOwner()]
  const partition = dayPartition(dayNumber(closed))
  const store = (owner: Owner) =>
    storeSamples(
      database,
      owner,
      Array.from({ length: 3 }, (_, index) => ({ name: 'a', time: closed + index, value: index })),
    )
  for (const owner of owners) await store(owner)
  const packFrom = (from?: PackPlace) =>
    packSamples({ ...database, log }, { limits: tiny, untilMs: 0, ...(from && { from }) })
  const stopped = await packFrom()
  expect(stopped).toMatchObject({ partition, after: { tenantNumber: owners[0]!.tenantNumber } })
  // Rows before the place are left to the next run.
  await storeSamples(database, owners[0]!, [{ name: 'a', time: closed, value: 9 }])
  const next = await packFrom(JSON.parse(JSON.stringify(stopped)) as PackPlace)
  expect(next).toMatchObject({ partition, after: { tenantNumber: owners[1]!.tenantNumber } })
  expect(await packFrom(next)).toBeUndefined()
  expect([await countRows(owners[0]!), await countRows(owners[1]!)]).toEqual([1, 0])
  await pack()
  expect(await countRows(owners[0]!)).toBe(0)
})

test('each day that packing is behind halves its rests', () => {
  expect([-1, 0, 1, 2, 3, 4, 5, 100].map(restsBehind)).toEqual([20, 20, 10, 5, 2, 1, 1, 1])
})

test('packing is behind by the age of the oldest closed day with rows', async () => {
  const owner = await makeOwner()
  const nowMs = today + DAY_MS / 2
  const lag = () => readPackingLag(database.db, nowMs)
  await pack()
  expect(await lag()).toEqual({ oldestDay: null, daysBehind: 0 })
  await storeSamples(database, owner, [
    { name: 'a', time: nowMs, value: 1 },
    { name: 'a', time: closed, value: 1 },
  ])
  const registry = new Registry()
  createPackingMetrics(registry, database.db)
  expect(await registry.metrics()).toMatch(/^gangway_packing_days_behind [45]$/m)
  expect(await lag()).toEqual({ oldestDay: new Date(closed).toISOString().slice(0, 10), daysBehind: 5 })
  await pack()
  expect(await lag()).toEqual({ oldestDay: null, daysBehind: 0 })
})
