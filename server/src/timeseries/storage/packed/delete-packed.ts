import type pg from 'pg'
import { deleteInParts } from '../delete-in-parts.ts'
import { listExpiredSpans } from '../expired-spans.ts'

/** Pieces may be large. */
const DELETED_AT_ONCE = 1000

/** Deletes packed rows, and kept rollups, of deleted streams, some at a time. */
export async function deletePackedStreams(
  pool: pg.Pool,
  tenantNumber: number,
  streamNumbers: number[],
): Promise<void> {
  for (const table of ['packed_rows', 'kept_rollups'])
    await deleteInParts(pool, table, {
      condition: 'tenant_number = $1 and stream_number = any($2::int[])',
      values: [tenantNumber, streamNumbers],
      atOnce: DELETED_AT_ONCE,
    })
}

/** Deletes pieces that are older than their tenant's retention. [docs/telemetry#retention] */
export async function deleteExpiredPacked(pool: pg.Pool, nowMs = Date.now()): Promise<void> {
  for (const { tenantNumber, beforeMs } of await listExpiredSpans(pool, { keepRollups: false, nowMs }))
    await deleteInParts(pool, 'packed_rows', {
      condition: 'tenant_number = $1 and last_time < $2::timestamptz',
      values: [tenantNumber, new Date(beforeMs).toISOString()],
      atOnce: DELETED_AT_ONCE,
    })
}
