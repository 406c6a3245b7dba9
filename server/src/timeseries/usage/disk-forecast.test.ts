import { tmpdir } from 'node:os'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { testLog as log } from '../../../test/harness/log.ts'
import { insertTenant, storeSamples } from '../../../test/harness/telemetry.ts'
import { readConfig } from '../../config.ts'
import { type CutLimits, cutExpiredPieces } from '../storage/packed/cut-expired.ts'
import { KEPT_LIMITS } from '../storage/packed/keep-rollups.ts'
import { PACKED_CELLS } from '../storage/packed/merge-limits.ts'
import { packSamples } from '../storage/packed/pack-samples.ts'
import { DAY_MS, dayNumber, dayPartition } from '../storage/partition-names.ts'
import { forecastDisk } from './disk-forecast.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await testDatabase()
})
afterEach(() => database[Symbol.asyncDispose]())

const today = dayNumber(Date.now())
const todayMs = today * DAY_MS
const config = { ...readConfig({}), databaseUrl: undefined }
const forecast = async () =>
  (await forecastDisk({ config, storageDirectories: ['/', tmpdir()] }, database.db, todayMs))!
const pack = () => packSamples({ ...database, log }, { nowMs: todayMs })

/** Stores a tenant's samples of days, each with as many values. @param ages in days before today */
async function storeDays(tenantNumber: number, ages: number[], values = 1): Promise<void> {
  const owner = { tenantNumber, ownerType: 'client', ownerId: 'meter' } as const
  const samples = ages.flatMap((age) =>
    Array.from({ length: values }, (_, second) => ({
      name: 'a',
      time: todayMs - age * DAY_MS + second * 1000,
      value: age + second / 10,
    })),
  )
  await storeSamples(database, owner, samples)
}

const countBytes = async (tenantNumber: number): Promise<number> => {
  const { rows } = await database.pool.query<{ bytes: number }>(
    `select sum(octet_length(data) + coalesce(octet_length(rollups), 0))::float8 as bytes
     from packed_rows where tenant_number = $1`,
    [tenantNumber],
  )
  return rows[0]!.bytes
}

test('an external database is on a disk that is not known', async () => {
  const external = { ...config, databaseUrl: 'postgres://elsewhere' }
  expect(await forecastDisk({ config: external, storageDirectories: [] }, database.db, todayMs)).toBeNull()
})

test('without telemetry nothing grows, and no day is named', async () => {
  const { freeBytes, ...growth } = await forecast()
  expect(freeBytes).toBeGreaterThan(0)
  expect(growth).toEqual({ growthBytesPerDay: 0, daysLeft: null })
})

test('until days are packed, the tables of the full days before today count', async () => {
  await storeDays(await insertTenant(database, 'a'), [0, 1, 2, 8], 100)
  const { rows } = await database.pool.query<{ bytes: number }>(
    'select avg(pg_total_relation_size(name::regclass))::float8 as bytes from unnest($1::text[]) as name',
    [[dayPartition(today - 1), dayPartition(today - 2)]],
  )
  const { freeBytes, growthBytesPerDay, daysLeft } = await forecast()
  expect(growthBytesPerDay).toBe(Math.round(rows[0]!.bytes))
  expect(daysLeft).toBe(Math.round((freeBytes / growthBytesPerDay) * 10) / 10)
})

test('the packed days of all tenants count, with their rollups', async () => {
  const [a, b] = [await insertTenant(database, 'a'), await insertTenant(database, 'b')]
  await storeDays(a, [2, 3, 4], 1000)
  await storeDays(b, [3], 300)
  await pack()
  const bytes = (await countBytes(a)) + (await countBytes(b))
  expect((await forecast()).growthBytesPerDay).toBe(Math.round(bytes / 3))
})

test('of a piece with many days, the last ones count', async () => {
  const tenant = await insertTenant(database, 'a')
  const ages = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]
  await storeDays(tenant, ages)
  await pack()
  const { rows } = await database.pool.query('select from packed_rows')
  expect(rows).toHaveLength(1)
  expect((await forecast()).growthBytesPerDay).toBe(Math.round((await countBytes(tenant)) / ages.length))
})

test('what the retention deletes in the next days is subtracted, of its tenant alone', async () => {
  const [a, b] = [await insertTenant(database, 'a'), await insertTenant(database, 'b')]
  // Large days are pieces of their own. The retention keeps 20 days: of those that are stored, it soon deletes the oldest two.
  await storeDays(a, [20, 19, 13, 12], 300)
  await storeDays(b, [20, 19, 3], 300)
  await database.pool.query('update tenants set telemetry_retention_days = 20 where number = $1', [a])
  await pack()
  const { rows } = await database.pool.query<{ tenant: number; age: number; bytes: number }>(
    `select tenant_number as tenant, ($1::timestamptz::date - first_time::date) as age, octet_length(data)::float8 as bytes
     from packed_rows`,
    [new Date(todayMs).toISOString()],
  )
  const sum = (tenant: number, ages: number[]) =>
    rows.reduce((total, row) => total + (row.tenant === tenant && ages.includes(row.age) ? row.bytes : 0), 0)
  expect(rows).toHaveLength(7)
  // Yesterday is not closed yet, so that the last seven days have six closed ones.
  const expected = (sum(b, [3]) - sum(a, [20, 19])) / 6
  expect((await forecast()).growthBytesPerDay).toBe(Math.round(expected))
})

/** Stores days of a tenant that keeps rollups, of which those before 20 days ago are rolled up. */
async function rollUpDays(ages: number[], kept: CutLimits['kept']): Promise<void> {
  const tenant = await insertTenant(database, 'a')
  await storeDays(tenant, ages, 300)
  await database.pool.query('update tenants set telemetry_retention_days = 20, rollup_retention_days = 40')
  await pack()
  await cutExpiredPieces(database, { nowMs: todayMs, limits: { cells: PACKED_CELLS, kept } })
}

async function listBytes(table: 'kept_rollups' | 'packed_rows'): Promise<number[]> {
  const { rows } = await database.pool.query<{ bytes: number }>(
    `select octet_length(data) as bytes from ${table} order by first_time`,
  )
  return rows.map(({ bytes }) => bytes)
}

test('rollups take the place of samples that expire, until they expire themselves', async () => {
  await rollUpDays([41, 40, 27, 26, 24, 21, 12, 3], { bytes: 0, bytesASeries: 0 })
  const kept = await listBytes('kept_rollups')
  expect(kept).toHaveLength(6)
  const [, packed] = await listBytes('packed_rows')
  // Yesterday is not closed yet, so that the last seven days have six closed ones.
  const expected = (packed! + kept[3]! + kept[4]! + kept[5]! - kept[1]!) / 6
  expect((await forecast()).growthBytesPerDay).toBe(Math.round(expected))
})

test('the rollups of several days in a row are divided among its days', async () => {
  await rollUpDays([30, 29, 26, 21, 12, 3], KEPT_LIMITS)
  const [kept, ...others] = await listBytes('kept_rollups')
  expect(others).toEqual([])
  const [, packed] = await listBytes('packed_rows')
  // Of its days, from 30 to 21 days ago, the last six are counted.
  const expected = (packed! + kept! * 0.6) / 6
  expect((await forecast()).growthBytesPerDay).toBe(Math.round(expected))
})

test('a plant that rests two days a week does not grow once each week replaces another', async () => {
  const tenant = await insertTenant(database, 'a')
  const ages = [19, 16, 14, 13, 12, 9, 7, 6, 5, 2]
  await storeDays(tenant, ages, 300)
  await database.pool.query('update tenants set telemetry_retention_days = 14')
  await pack()
  const bytesPerDay = (await countBytes(tenant)) / ages.length
  expect(Math.abs((await forecast()).growthBytesPerDay)).toBeLessThan(bytesPerDay / 20)
})

test('where more is deleted than added, the space is enough for good', async () => {
  const tenant = await insertTenant(database, 'a')
  await storeDays(tenant, [20, 19, 18, 17, 16, 15, 14], 300)
  await storeDays(tenant, [2])
  await database.pool.query('update tenants set telemetry_retention_days = 20')
  await pack()
  const { growthBytesPerDay, daysLeft } = await forecast()
  expect(growthBytesPerDay).toBeLessThan(0)
  expect(daysLeft).toBeNull()
})
