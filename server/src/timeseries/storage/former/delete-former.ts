import type pg from 'pg'
import { DAY_MS, dayNumber, startOfDay } from '../partition-names.ts'
import { listFormerPartitions } from './former-partitions.ts'

const DELETED_AT_ONCE = 10_000

/** Deletes former samples of series that are deleted already, some at a time. */
export async function deleteFormerSamples(
  pool: pg.Pool,
  tenantNumber: number,
  seriesNumbers: number[],
): Promise<void> {
  for (const { name } of await listFormerPartitions(pool, tenantNumber))
    await deleteInParts(pool, name, 'tenant_number = $1 and series_number = any($2::int[])', [
      tenantNumber,
      seriesNumbers,
    ])
}

/** Deletes former samples that are older than their tenant's retention. [docs/telemetry#retention] */
export async function deleteExpiredFormerSamples(pool: pg.Pool, nowMs = Date.now()): Promise<void> {
  const { rows: tenants } = await pool.query<{ number: number; days: number }>(
    'select number, telemetry_retention_days as days from tenants where telemetry_retention_days is not null',
  )
  for (const { number, days } of tenants) {
    const before = startOfDay(dayNumber(nowMs - days * DAY_MS))
    for (const { name } of await listFormerPartitions(pool, number))
      await deleteInParts(pool, name, 'tenant_number = $1 and time < $2::timestamptz', [number, before])
  }
}

/** A `ctid` is valid within one partition only. */
async function deleteInParts(pool: pg.Pool, partition: string, condition: string, values: unknown[]) {
  for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE;) {
    const { rowCount } = await pool.query(
      `delete from ${partition} where ctid = any(array(
         select ctid from ${partition} where ${condition} limit ${DELETED_AT_ONCE}))`,
      values,
    )
    deleted = rowCount ?? 0
  }
}
