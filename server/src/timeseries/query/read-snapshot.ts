import { type DatabaseConnection, type Kysely, sql } from 'kysely'
import { pipeline } from '../../database/pipeline.ts'
import type { Tables } from '../../database/tables.ts'
import { isMissing } from '../storage/drop-partition.ts'
import { restPartition, rowTable } from '../storage/partition-names.ts'

/**
 * Runs all statements of `read` on one snapshot of the database. A snapshot does not cover the partitions themselves:
 * rows of a partition that is dropped or attached after the snapshot would be missing. Locks before the first query
 * prevent both: dropping a partition locks its table, and attaching one locks the default partition.
 * @param read its first statements are sent together with those that begin the snapshot, and fail if these do
 */
export async function readSnapshot<T>(
  db: Kysely<Tables>,
  read: (tx: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  const readWith = (tables: string[]) =>
    db.getExecutor().provideConnection((connection) => readLocked(connection, { tables, read }))
  return readWith([...parents, restPartition]).catch((error: unknown) => {
    // The first batch of samples creates the default partition; before it there are no rows.
    if (!isMissing(error)) throw error
    return readWith(parents)
  })
}

interface LockedRead<T> {
  tables: string[]
  read(tx: Kysely<Tables>): Promise<T>
}

async function readLocked<T>(connection: DatabaseConnection, { tables, read }: LockedRead<T>): Promise<T> {
  const tx = pipeline(connection)
  const execute = (statement: string) => sql.raw(statement).execute(tx)
  // Both are one message, since each costs this process more than PostgreSQL.
  const begin = `start transaction isolation level repeatable read read only;
    lock table ${tables.map((table) => `only ${table}`).join()} in access share mode`
  // All of them have ended when the transaction does: a statement after it would run without the snapshot.
  const [begun, found] = await Promise.allSettled([execute(begin), read(tx)])
  for (const outcome of [begun, found])
    if (outcome.status === 'rejected') {
      // Without a connection, there is nothing to roll back.
      await execute('rollback').catch(() => {})
      throw outcome.reason
    }
  // Whoever uses the connection next sends its statements behind this one.
  execute('commit').catch(() => {})
  return (found as PromiseFulfilledResult<T>).value
}

/** Tables with samples of earlier versions are dropped after the samples are moved. */
const parents = [rowTable, 'samples', 'samples_other']
