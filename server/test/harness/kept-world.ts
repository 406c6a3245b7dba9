/** A tenant that keeps rollups, with the nights in which its samples expire. */
import type { AggregationType } from '../../src/lib/aggregation-types.ts'
import { bucketPages } from '../../src/timeseries/query/aggregate.ts'
import type { Aggregation } from '../../src/timeseries/query/aggregation.ts'
import { readPoints, timedValues } from '../../src/timeseries/query/point-format.ts'
import { readRolledUpBefore, selectLastKept } from '../../src/timeseries/query/rolled-up-before.ts'
import { cutExpiredPieces } from '../../src/timeseries/storage/packed/cut-expired.ts'
import { deleteExpiredPacked } from '../../src/timeseries/storage/packed/delete-packed.ts'
import { deleteExpiredKept } from '../../src/timeseries/storage/packed/kept-rollups.ts'
import { MERGE_LIMITS } from '../../src/timeseries/storage/packed/merge-limits.ts'
import { packSamples } from '../../src/timeseries/storage/packed/pack-samples.ts'
import type { PackLimits } from '../../src/timeseries/storage/packed/row-key.ts'
import { DAY_MS } from '../../src/timeseries/storage/partition-names.ts'
import { dropExpiredPartitions } from '../../src/timeseries/storage/partitions.ts'
import type { Owner } from '../../src/timeseries/storage/series-key.ts'
import { listSeriesNamed } from '../../src/timeseries/storage/series.ts'
import { testDatabase, type TestDatabase } from './database.ts'
import { testLog as log } from './log.ts'
import { insertTenant, storeSamples, type TestSample } from './telemetry.ts'

export const HALF_HOUR_MS = 1_800_000
export const start = Date.parse('2026-03-28T00:00:00Z')

/** The night in which samples before a time expire, with a retention of a day. */
export const nightOf = (beforeMs: number): number => beforeMs + DAY_MS

export const every = (
  name: string,
  { fromMs, stepMs, count }: { fromMs: number; stepMs: number; count: number },
  value: (index: number) => unknown = (index) => index,
): TestSample[] =>
  Array.from({ length: count }, (_, index) => ({
    name,
    time: fromMs + index * stepMs,
    value: value(index),
  }))

/** A value each minute. */
export const minutes = (
  name: string,
  fromMs: number,
  count: number,
  value?: (index: number) => unknown,
): TestSample[] => every(name, { fromMs, stepMs: 60_000, count }, value)

/** Packs pieces with few rows. */
export const smallPieces = (pieceRows: number): PackLimits => ({
  rows: 20_000,
  cells: 250_000,
  streams: 500,
  pieceRows,
  pieceCells: 10_000,
  merged: MERGE_LIMITS,
})

export interface KeptQuery {
  type: AggregationType
  interval?: Aggregation['interval']
  timeZone?: string
  from: number
  to: number
}

export type KeptWorld = Awaited<ReturnType<typeof startKeptWorld>>

/** A database with a tenant, which a test may replace by the next one. */
export async function startKeptWorld() {
  const database = await testDatabase()
  let tenants = 0
  const world = {
    database,
    owner: { tenantNumber: 0, ownerType: 'client', ownerId: 'pump' } as Owner,
    enterTenant: async (): Promise<void> => {
      world.owner = { ...world.owner, tenantNumber: await insertTenant(database, `t${++tenants}`) }
    },
    store: (samples: TestSample[]) => storeSamples(database, world.owner, samples),
    pack: (limits?: PackLimits) => packSamples({ ...database, log }, limits && { limits }),
    keep: (days: number | null, rollupDays: number | null) =>
      database.db
        .updateTable('tenants')
        .set({ telemetry_retention_days: days, rollup_retention_days: rollupDays })
        .where('number', '=', world.owner.tenantNumber)
        .execute(),
    runNight: (nowMs: number) => runNight(database, nowMs),
    /** @param readDb where the samples and rollups are read */
    query: (name: string, query: KeptQuery, readDb = database.db) =>
      readAggregates(database.db, { ...query, owner: world.owner, name, readDb }),
    countRows: (table: 'packed_rows' | 'sample_rows' | 'kept_rollups') =>
      countRows(database, table, world.owner.tenantNumber),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
  return world
}

/** What the server does each night. */
async function runNight(database: TestDatabase, nowMs: number): Promise<void> {
  await dropExpiredPartitions(database.pool, log, nowMs)
  await deleteExpiredPacked(database.pool, nowMs)
  await deleteExpiredKept(database.pool, nowMs)
  await cutExpiredPieces(database, { nowMs })
}

interface KeptRead extends KeptQuery {
  owner: Owner
  name: string
  readDb: TestDatabase['db']
}

async function readAggregates(
  db: TestDatabase['db'],
  { owner, name, readDb, type, interval, timeZone = 'UTC', ...span }: KeptRead,
): Promise<[number, unknown][]> {
  const [series] = await listSeriesNamed(db, [owner], [name])
  const rolledUpBeforeMs = readRolledUpBefore((await selectLastKept(owner.tenantNumber).execute(db)).rows)
  const aggregation = { type, timeZone, ...(interval && { interval }) }
  const pages = bucketPages(
    readDb,
    { series: series!, modelId: null, rolledUpBeforeMs, ...span },
    { aggregation, format: timedValues, limit: 100_000 },
  )
  const points: [number, unknown][] = []
  for await (const { pieces } of pages) points.push(...readPoints<[number, unknown]>(pieces))
  return points
}

async function countRows({ pool }: TestDatabase, table: string, tenantNumber: number): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from ${table} where tenant_number = $1`,
    [tenantNumber],
  )
  return rows[0]!.count
}
