import type pg from 'pg'
import { DAY_MS, dayNumber } from '../partition-names.ts'

const DELETED_AT_ONCE = 1000

/** Deletes packed rows of deleted streams, some at a time. */
export const deletePackedStreams = (
  pool: pg.Pool,
  tenantNumber: number,
  streamNumbers: number[],
): Promise<void> =>
  deleteInParts(pool, 'tenant_number = $1 and stream_number = any($2::int[])', [tenantNumber, streamNumbers])

/** Deletes pieces that are older than their tenant's retention. [docs/telemetry#retention] */
export async function deleteExpiredPacked(pool: pg.Pool, nowMs = Date.now()): Promise<void> {
  for (const { tenantNumber, beforeMs } of await listExpiredSpans(pool, nowMs))
    await deleteInParts(pool, 'tenant_number = $1 and last_time < $2::timestamptz', [
      tenantNumber,
      new Date(beforeMs).toISOString(),
    ])
}

export interface ExpiredSpan {
  tenantNumber: number
  /** The start of the first day (UTC) that is kept. Milliseconds since 1970. */
  beforeMs: number
}

export async function listExpiredSpans(pool: pg.Pool, nowMs: number): Promise<ExpiredSpan[]> {
  const { rows: tenants } = await pool.query<{ number: number; days: number }>(
    'select number, telemetry_retention_days as days from tenants where telemetry_retention_days is not null',
  )
  return tenants.map(({ number, days }) => ({
    tenantNumber: number,
    beforeMs: dayNumber(nowMs - days * DAY_MS) * DAY_MS,
  }))
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
