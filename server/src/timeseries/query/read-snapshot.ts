import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { isMissing } from '../storage/drop-partition.ts'
import { restPartition, rowTable } from '../storage/partition-names.ts'

/**
 * Runs all statements of `read` on one snapshot of the database. A snapshot does not cover the partitions themselves:
 * rows of a partition that is dropped or attached after the snapshot would be missing. Locks before the first query
 * prevent both: dropping a partition locks its table, and attaching one locks the default partition.
 */
export async function readSnapshot<T>(
  db: Kysely<Tables>,
  read: (tx: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  const readWith = (tables: string[]) =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        await sql`lock table ${sql.raw(tables.map((table) => `only ${table}`).join())} in access share mode`.execute(
          tx,
        )
        return read(tx)
      })
  return readWith([...parents, restPartition]).catch((error: unknown) => {
    // The first batch of samples creates the default partition; before it there are no rows.
    if (!isMissing(error)) throw error
    return readWith(parents)
  })
}

/** Tables with samples of earlier versions are dropped after the samples are moved. */
const parents = [rowTable, 'samples', 'samples_other']
