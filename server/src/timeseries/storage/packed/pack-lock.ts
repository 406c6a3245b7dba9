/**
 * Locks between packing and writing. Late messages need no lock: their row is inserted first, where the unique key
 * detects a duplicate that is not packed yet, and is then searched for among the packed rows. Only changes to the
 * values of a stored message exclude packing. The locks are held until the end of the transaction.
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'

const PACK_LOCK = 7_264_015

/**
 * Changes pieces in a transaction with one snapshot: what others commit meanwhile is not seen and stays, and where they
 * change what `work` changes, nothing is done.
 * @returns 'busy' if the work has to be repeated later
 */
export async function changePieces<Result>(
  db: Kysely<Tables>,
  work: (tx: Kysely<Tables>) => Promise<Result>,
): Promise<Result | 'busy'> {
  try {
    return await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => ((await tryLock(tx)) ? work(tx) : 'busy'))
  } catch (error) {
    if ((error as { code?: string }).code === SERIALIZATION_FAILURE) return 'busy'
    throw error
  }
}

const SERIALIZATION_FAILURE = '40001'

/** @returns false if stored rows are being changed, or another node is packing */
async function tryLock(tx: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${PACK_LOCK}) as locked`.execute(tx)
  return rows[0]!.locked
}

/** Excludes packing. Many transactions may hold the lock at once. */
export const lockForChangedRows = (tx: Kysely<Tables>): Promise<unknown> =>
  sql`select pg_advisory_xact_lock_shared(${PACK_LOCK})`.execute(tx)
