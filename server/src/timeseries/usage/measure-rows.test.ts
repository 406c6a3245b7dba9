/** Measuring stored telemetry. [docs/telemetry#storage-used] */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { testLog } from '../../../test/harness/log.ts'
import { insertClient, storeSamples } from '../../../test/harness/telemetry.ts'
import { countToastReads } from '../../../test/harness/toast-reads.ts'
import { packSamples } from '../storage/packed/pack-samples.ts'
import { dayNumber } from '../storage/partition-names.ts'
import type { Owner } from '../storage/series-key.ts'
import { measureRows } from './measure-rows.ts'
import { measureExpiring, readUsage } from './read-usage.ts'
import { type DayUsage, sumAmounts, type Tier } from './usage.ts'

let database: TestDatabase
let small: Owner
let large: Owner
const ROWS = 300_000
const day = dayNumber(Date.parse('2026-03-01'))
beforeAll(async () => {
  database = await testDatabase()
  small = await insertClient(database, 'small', 'pump')
  large = await insertClient(database, 'large', 'pump')
  const at = (time: string, name: string, value: unknown, messageId: bigint) => ({
    time,
    name,
    value,
    messageId,
  })
  await storeSamples(database, small, [
    at('2026-03-01T10:00:00Z', 'a', 1, 1n),
    at('2026-03-01T10:00:00Z', 'b', 'text', 1n),
    at('2026-03-01T10:00:00Z', 'c', 3, 1n),
    at('2026-03-02T10:00:00Z', 'c', 4, 2n),
    at('1999-01-01T10:00:00Z', 'a', 5, 3n),
  ])
  await storeSamples(database, large, [at('2026-03-01T00:00:00Z', 'a', 1, 4n)])
  await sql`
    insert into sample_rows
    select r.tenant_number, r.stream_number, r.time + i * interval '100 ms', i, array[i, i]
    from sample_rows r, generate_series(1, ${ROWS}::int) i where r.tenant_number = ${large.tenantNumber}::int`.execute(
    database.db,
  )
})
afterAll(() => database[Symbol.asyncDispose]())

test('few rows are counted by day, with every kind of value', async () => {
  const days = await measureRows(database.db, small.tenantNumber)
  const counted = days.map(({ day: number, values, isEstimate }) => [number - day, values, isEstimate])
  expect(counted.toSorted((a, b) => Number(a[0]) - Number(b[0]))).toEqual([
    [dayNumber(Date.parse('1999-01-01')) - day, 1, false],
    [0, 3, false],
    [1, 1, false],
  ])
  for (const { bytes } of days) expect(bytes).toBeGreaterThan(100)
})

test('many rows are estimated', async () => {
  const days = await measureRows(database.db, large.tenantNumber)
  expect(days.every(({ isEstimate }) => isEstimate)).toBe(true)
  const { values } = sumAmounts(days)
  expect(values / (2 * ROWS)).toBeGreaterThan(0.7)
  expect(values / (2 * ROWS)).toBeLessThan(1.3)
})

test('a retention is measured without the days that it keeps', async () => {
  const nowMs = Date.parse('2026-03-03T05:00:00Z')
  const measure = (days: number) =>
    measureExpiring(database.db, small.tenantNumber, { days, rollupDays: null, nowMs })
  expect(await measure(1)).toMatchObject({
    before: '2026-03-02T00:00:00.000Z',
    samples: 4,
    isEstimate: false,
  })
  expect(await measure(2)).toMatchObject({ before: '2026-03-01T00:00:00.000Z', samples: 1 })
  expect(await measure(36_500)).toMatchObject({ samples: 0, bytes: 0 })
})

test('of large objects, only the first ones are read', async () => {
  const camera = await insertClient(database, 'camera', 'camera')
  const text = randomBytes(40_000).toString('hex')
  const common = { time: '2026-03-03T00:00:00Z', messageId: 1n }
  await storeSamples(database, camera, [
    { ...common, name: 'image', value: text },
    { ...common, name: 'state', value: 'on' },
    { ...common, name: 'temperature', value: 1 },
  ])
  await sql`
    insert into sample_rows
    select r.tenant_number, r.stream_number, r.time + i * interval '1 s', i + 1, r.numbers, r.others
    from sample_rows r, generate_series(1, 499) i where r.tenant_number = ${camera.tenantNumber}::int`.execute(
    database.db,
  )
  await database.db.transaction().execute(async (tx) => {
    const reads = await countToastReads(tx, async () => {
      const days = await measureRows(tx, camera.tenantNumber)
      expect(days).toMatchObject([{ values: 1500, isEstimate: true }])
    })
    expect(reads).toBeGreaterThan(0)
    expect(reads).toBeLessThan(450)
  })
})

test('packed samples are counted, and no others', async () => {
  const before = await readUsage(database.db, small.tenantNumber)
  await packSamples({ ...database, log: testLog }, { nowMs: Date.parse('2026-03-02T12:00:00Z') })
  const after = await readUsage(database.db, small.tenantNumber)
  const listValues = (days: DayUsage[], tier: Tier) =>
    days
      .filter((one) => one.tier === tier)
      .map((one) => [one.day - day, one.values])
      .toSorted((a, b) => a[0]! - b[0]!)
  const [oldest, first, last] = listValues(before, 'rows')
  expect(listValues(after, 'packed')).toEqual([oldest, first])
  expect(listValues(after, 'rows')).toEqual([last])
  const packed = await readUsage(database.db, large.tenantNumber)
  expect(packed).toMatchObject([
    { tier: 'packed', values: 2 * ROWS + 1, isEstimate: false },
    { tier: 'rollups', values: 0, isEstimate: false },
  ])
  expect(packed[1]!.bytes).toBeGreaterThan(100)
  expect(packed[0]!.bytes / packed[0]!.values).toBeLessThan(8)
})
