/** Forecasts when the telemetry of all tenants fills the disk of the embedded database. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import { readFreeBytes } from '../../lib/disk-space.ts'
import { dayNumber, dayPartition, startOfDay } from '../storage/partition-names.ts'
import { MERGE_LIMITS } from '../storage/packed/merge-limits.ts'
import { joinPieceDays } from '../storage/packed/packed-days.ts'
import { SETTLING_MS } from '../storage/packed/settling.ts'
import type { TelemetryStorage } from './schema.ts'

/** Maximum number of full days before today for which growth is averaged. */
export const GROWTH_DAYS = 7

/** @returns null if the database is not on a disk of this machine */
export async function forecastDisk(
  { config, storageDirectories }: Pick<Context, 'config' | 'storageDirectories'>,
  db: Kysely<Tables>,
  nowMs: number,
): Promise<TelemetryStorage['disk']> {
  if (config.databaseUrl !== undefined) return null
  const [free] = await readFreeBytes(storageDirectories.slice(-1))
  const growthBytesPerDay = Math.round(await measureGrowth(db, nowMs))
  const freeBytes = free!.bytes
  const daysLeft = growthBytesPerDay > 0 ? Math.round((freeBytes / growthBytesPerDay) * 10) / 10 : null
  return { freeBytes, growthBytesPerDay, daysLeft }
}

/**
 * Measures the growth of packed data and of kept rollups once there is some: added bytes less those that the retention deletes next. Both are
 * of as many closed days, also of silent ones, so that a plant that rests at weekends does not seem to grow for ever.
 */
async function measureGrowth(db: Kysely<Tables>, nowMs: number): Promise<number> {
  const today = dayNumber(nowMs)
  const firstOpenDay = dayNumber(nowMs - SETTLING_MS)
  const since = today - GROWTH_DAYS
  const added = await measurePacked(db, start(since), firstOpenDay - since)
  if (added.firstDay !== null) {
    const days = firstOpenDay - ((await hasPackedBefore(db, since)) ? since : added.firstDay)
    const firstExpiring = sql`(${start(today)} - telemetry_retention_days * interval '1 day')`
    const removed = (await measurePacked(db, firstExpiring, days)).bytes
    return (added.bytes - removed + (await measureKeptGrowth(db, { today, days }))) / days
  }
  const days = Array.from({ length: GROWTH_DAYS }, (_, index) => since + index)
  const { rows } = await sql<{ bytes: number }>`
    select pg_total_relation_size(to_regclass(name))::float8 as bytes
    from unnest(${days.map(dayPartition)}::text[]) as day (name) where to_regclass(name) is not null`.execute(
    db,
  )
  return rows.length === 0 ? 0 : rows.reduce((sum, { bytes }) => sum + bytes, 0) / rows.length
}

const start = (day: number) => sql`${startOfDay(day)}::timestamptz`

async function hasPackedBefore(db: Kysely<Tables>, day: number): Promise<boolean> {
  const { rows } = await sql`select from packed_rows where first_time < ${start(day)} limit 1`.execute(db)
  return rows.length > 0
}

interface PackedSpan {
  /** The first day with packed samples; null without any. */
  firstDay: number | null
  bytes: number
}

/** Measures the packed samples of as many days. */
async function measurePacked(
  db: Kysely<Tables>,
  from: RawBuilder<unknown>,
  days: number,
): Promise<PackedSpan> {
  const { rows } = await sql<PackedSpan>`
    select min(day) as "firstDay",
      coalesce(sum(share * (octet_length(data) + coalesce(octet_length(rollups), 0))), 0)::float8 as bytes
    from tenants t join packed_rows p on p.tenant_number = t.number ${joinPieceDays}
    where p.last_time >= ${from} and p.last_time < ${from} + ${days + MERGE_LIMITS.days}::int * interval '1 day'
      and p.first_time < ${from} + ${days}::int * interval '1 day'
      and to_timestamp(day * 86400.0) >= ${from} and to_timestamp(day * 86400.0) < ${from} + ${days}::int * interval '1 day'`.execute(
    db,
  )
  return rows[0]!
}

/** Measures the rollups of samples that expired in as many days, less those that expire next. */
async function measureKeptGrowth(
  db: Kysely<Tables>,
  { today, days }: { today: number; days: number },
): Promise<number> {
  const added = sql`${today}::int - telemetry_retention_days - ${days}::int`
  const removed = sql`${today}::int - rollup_retention_days`
  return (await measureKept(db, added, days)) - (await measureKept(db, removed, days))
}

/** Measures the kept rollups of as many days. The bytes of a row are divided equally among its days. */
async function measureKept(db: Kysely<Tables>, firstDay: RawBuilder<unknown>, days: number): Promise<number> {
  const startOf = (day: RawBuilder<unknown>) => sql`to_timestamp((${day}) * 86400.0)`
  const dayOf = (time: string) => sql`floor(date_part('epoch', ${sql.ref(time)}) / 86400)`
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(octet_length(data) * (least(last_day, first_day + ${days}::int - 1) - greatest(row_day, first_day) + 1)
      / (last_day - row_day + 1)), 0)::float8 as bytes
    from (select number, ${firstDay} as first_day from tenants where rollup_retention_days is not null) t
    join kept_rollups k on k.tenant_number = t.number
    cross join lateral (select ${dayOf('first_time')} as row_day, ${dayOf('last_time')} as last_day) of_row
    where last_time >= ${startOf(sql`first_day`)}
      and last_time < ${startOf(sql`first_day + ${days + MERGE_LIMITS.days}::int`)}
      and first_time < ${startOf(sql`first_day + ${days}::int`)}`.execute(db)
  return rows[0]!.bytes
}
