/**
 * A run replaces the expired samples of tenants with `rollupRetentionDays` by their rollups, stream by stream. Until its end,
 * all streams of a tenant are rolled up to the same time, also after a restart, so that it is known which samples arrive too
 * late for the rollups of their day. [docs/telemetry#retention]
 */
import type pg from 'pg'
import { type ExpiredSpan, listExpiredSpans } from '../expired-spans.ts'
import { listFormerPartitions } from '../former/former-partitions.ts'
import { DAY_MS, dayNumber, rowTable } from '../partition-names.ts'

export interface RolledSpan extends ExpiredSpan {
  /** Samples before this time are deleted without rollups, which are complete. Milliseconds since 1970, or -Infinity. */
  completeBeforeMs: number
}

/** Begins a run for each tenant that has none. */
export async function beginRollupRun(pool: pg.Pool, nowMs: number): Promise<void> {
  for (const { tenantNumber, beforeMs } of await listExpiredSpans(pool, { keepRollups: true, nowMs })) {
    // They are moved to rows within minutes, and then packed.
    if ((await listFormerPartitions(pool, tenantNumber)).length > 0) continue
    const untilMs = await findFirstUnpackedDay(pool, { tenantNumber, beforeMs })
    await pool.query(
      'update tenants set rolling_up_before = $2::timestamptz where number = $1 and rolling_up_before is null',
      [tenantNumber, new Date(untilMs).toISOString()],
    )
  }
}

/** @returns the start of the first day with rows that are not packed, or `beforeMs` if that is earlier */
async function findFirstUnpackedDay(pool: pg.Pool, { tenantNumber, beforeMs }: ExpiredSpan): Promise<number> {
  const { rows } = await pool.query<{ ms: number | null }>(
    `select (date_part('epoch', min(time)) * 1000)::float8 as ms from ${rowTable}
     where tenant_number = $1 and time < $2::timestamptz`,
    [tenantNumber, new Date(beforeMs).toISOString()],
  )
  const ms = rows[0]!.ms
  return ms === null ? beforeMs : dayNumber(ms) * DAY_MS
}

export async function listRolledSpans(pool: pg.Pool): Promise<RolledSpan[]> {
  const { rows } = await pool.query<{ number: number; before: Date; complete: Date | null }>(
    `select number, rolling_up_before as before, rolled_up_before as complete from tenants
     where rolling_up_before is not null and rollup_retention_days is not null`,
  )
  return rows.map(({ number, before, complete }) => ({
    tenantNumber: number,
    beforeMs: before.getTime(),
    completeBeforeMs: complete?.getTime() ?? -Infinity,
  }))
}

/** Call it once all streams are rolled up. */
export async function endRollupRun(pool: pg.Pool): Promise<void> {
  await pool.query(
    `update tenants set rolled_up_before = greatest(rolled_up_before, rolling_up_before), rolling_up_before = null
     where rolling_up_before is not null`,
  )
}
