import type pg from 'pg'
import type { DeletedSeries } from '../../assets/records/remove-asset.ts'
import { sampleTables, tenantPartition } from './partition-names.ts'
import { listPartitions } from './partitions.ts'

const DELETED_AT_ONCE = 10_000

/**
 * Deletes the samples of series that are deleted already, a limited number at a time, since nobody waits for this. Each
 * partition has its own statements, because a `ctid` is valid within one partition only.
 */
export async function deleteSamples(
  pool: pg.Pool,
  { tenantNumber, seriesNumbers }: DeletedSeries,
): Promise<void> {
  for (const table of sampleTables)
    for (const partition of await listPartitions(pool, tenantPartition(table, tenantNumber)))
      for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE;) {
        const { rowCount } = await pool.query(
          `delete from ${partition} where ctid = any(array(
             select ctid from ${partition} where tenant_number = $1 and series_number = any($2::int[]) limit $3))`,
          [tenantNumber, seriesNumbers, DELETED_AT_ONCE],
        )
        deleted = rowCount ?? 0
      }
}
