/** Forecasts when the telemetry of all tenants fills the disk of the embedded database. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import { readFreeBytes } from '../../lib/disk-space.ts'
import { dayNumber, dayPartition, startOfDay } from '../storage/partition-names.ts'
import { MERGE_LIMITS } from '../storage/packed/merge-limits.ts'
import { joinPieceDays } from '../storage/packed/packed-days.ts'
import type { TelemetryStorage } from './schema.ts'

/** Number of full days before today for which growth is averaged. */
export const GROWTH_DAYS = 7

/** @returns null if the database is not on a disk of this machine */
export async function forecastDisk(
  { config, storageDirectories }: Pick<Context, 'config' | 'storageDirectories'>,
  db: Kysely<Tables>,
  nowMs: number,
): Promise<TelemetryStorage['disk']> {
  if (config.databaseUrl !== undefined) return null
  const [free] = await readFreeBytes(storageDirectories.slice(-1))
  const growthBytesPerDay = Math.round(await measureGrowth(db, dayNumber(nowMs)))
  const freeBytes = free!.bytes
  const daysLeft = growthBytesPerDay > 0 ? Math.round((freeBytes / growthBytesPerDay) * 10) / 10 : null
  return { freeBytes, growthBytesPerDay, daysLeft }
}

/** Measures the growth of packed data once there is some: added bytes less those that the retention deletes next. */
async function measureGrowth(db: Kysely<Tables>, today: number): Promise<number> {
  const packed = await measurePacked(db, today)
  if (packed.days > 0) return packed.added / packed.days - packed.expiring / GROWTH_DAYS
  const days = Array.from({ length: GROWTH_DAYS }, (_, index) => today - GROWTH_DAYS + index)
  const { rows } = await sql<{ bytes: number }>`
    select pg_total_relation_size(to_regclass(name))::float8 as bytes
    from unnest(${days.map(dayPartition)}::text[]) as day (name) where to_regclass(name) is not null`.execute(
    db,
  )
  return rows.length === 0 ? 0 : rows.reduce((sum, { bytes }) => sum + bytes, 0) / rows.length
}

interface PackedGrowth {
  /** Number of the days before today with packed samples. */
  days: number
  /** Bytes of these days. */
  added: number
  /** Bytes that the retention deletes in as many days as there are before today. */
  expiring: number
}

async function measurePacked(db: Kysely<Tables>, today: number): Promise<PackedGrowth> {
  const measure = (from: RawBuilder<unknown>) => sql`
    select count(distinct day)::int as days,
      coalesce(sum(share * (octet_length(data) + coalesce(octet_length(rollups), 0))), 0)::float8 as bytes
    from tenants t join packed_rows p on p.tenant_number = t.number ${joinPieceDays}
    where p.last_time >= ${from} and p.last_time < ${from} + ${GROWTH_DAYS + MERGE_LIMITS.days}::int * interval '1 day'
      and p.first_time < ${from} + ${GROWTH_DAYS}::int * interval '1 day'
      and to_timestamp(day * 86400.0) >= ${from} and to_timestamp(day * 86400.0) < ${from} + ${GROWTH_DAYS}::int * interval '1 day'`
  const start = (day: number) => sql`${startOfDay(day)}::timestamptz`
  const { rows } = await sql<PackedGrowth>`
    select added.days, added.bytes as added, expiring.bytes as expiring
    from (${measure(start(today - GROWTH_DAYS))}) added, (${measure(
      sql`(${start(today)} - telemetry_retention_days * interval '1 day')`,
    )}) expiring`.execute(db)
  return rows[0]!
}
