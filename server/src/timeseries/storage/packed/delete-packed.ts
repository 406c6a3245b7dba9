import type pg from 'pg'
import { DAY_MS, dayNumber, startOfDay } from '../partition-names.ts'

const DELETED_AT_ONCE = 1000

/** Deletes packed rows of deleted streams, some at a time. */
export const deletePackedStreams = (
  pool: pg.Pool,
  tenantNumber: number,
  streamNumbers: number[],
): Promise<void> =>
  deleteInParts(pool, 'tenant_number = $1 and stream_number = any($2::int[])', [tenantNumber, streamNumbers])

/** Deletes packed rows that are older than their tenant's retention. [docs/telemetry#retention] */
export async function deleteExpiredPacked(pool: pg.Pool, nowMs = Date.now()): Promise<void> {
  const { rows: tenants } = await pool.query<{ number: number; days: number }>(
    'select number, telemetry_retention_days as days from tenants where telemetry_retention_days is not null',
  )
  for (const { number, days } of tenants)
    await deleteInParts(pool, 'tenant_number = $1 and last_time < $2::timestamptz', [
      number,
      startOfDay(dayNumber(nowMs - days * DAY_MS)),
    ])
}

async function deleteInParts(pool: pg.Pool, condition: string, values: unknown[]): Promise<void> {
  for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE;) {
    const { rowCount } = await pool.query(
      `delete from packed_rows where ctid = any(array(
         select ctid from packed_rows where ${condition} limit ${DELETED_AT_ONCE}))`,
      values,
    )
    deleted = rowCount ?? 0
  }
}
