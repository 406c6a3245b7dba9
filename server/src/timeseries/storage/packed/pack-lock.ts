/**
 * Locks between packing and writing. Late messages need no lock: their row is inserted first, where the unique key
 * detects a duplicate that is not packed yet, and is then searched for among the packed rows. Only changes to the
 * values of a stored message exclude packing. The locks are held until the end of the transaction.
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'

const PACK_LOCK = 7_264_015

/** @returns false if stored rows are being changed, or another node is packing */
export async function tryLockForPacking(tx: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${PACK_LOCK}) as locked`.execute(tx)
  return rows[0]!.locked
}

/** Excludes packing. Many transactions may hold the lock at once. */
export const lockForChangedRows = (tx: Kysely<Tables>): Promise<unknown> =>
  sql`select pg_advisory_xact_lock_shared(${PACK_LOCK})`.execute(tx)
