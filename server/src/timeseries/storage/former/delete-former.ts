import type pg from 'pg'
import { deleteInParts } from '../delete-in-parts.ts'
import { listExpiredSpans } from '../expired-spans.ts'
import { listFormerPartitions } from './former-partitions.ts'

/** Deletes former samples of series that are deleted already, some at a time. */
export async function deleteFormerSamples(
  pool: pg.Pool,
  tenantNumber: number,
  seriesNumbers: number[],
): Promise<void> {
  for (const { name } of await listFormerPartitions(pool, tenantNumber))
    await deleteInParts(pool, name, {
      condition: 'tenant_number = $1 and series_number = any($2::int[])',
      values: [tenantNumber, seriesNumbers],
    })
}

/** Deletes former samples that are older than their tenant's retention. [docs/telemetry#retention] */
export async function deleteExpiredFormerSamples(pool: pg.Pool, nowMs = Date.now()): Promise<void> {
  for (const { tenantNumber, beforeMs } of await listExpiredSpans(pool, { keepRollups: false, nowMs })) {
    const values = [tenantNumber, new Date(beforeMs).toISOString()]
    for (const { name } of await listFormerPartitions(pool, tenantNumber))
      await deleteInParts(pool, name, { condition: 'tenant_number = $1 and time < $2::timestamptz', values })
  }
}
