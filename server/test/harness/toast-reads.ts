import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../src/database/tables.ts'

/**
 * Counts the large values that some work of the transaction reads. One that is too large for its row is stored in parts beside
 * the table, which an index scan collects.
 */
export async function countToastReads(tx: Kysely<Tables>, work: () => Promise<unknown>): Promise<number> {
  // Earlier transactions of the connection may be counted, too.
  const before = await readCount(tx)
  await work()
  return (await readCount(tx)) - before
}

/** Tables of the system have lower identifiers. */
const FIRST_TABLE = 16_384

async function readCount(tx: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ reads: number }>`
    select coalesce(sum(idx_scan), 0)::int as reads from pg_stat_xact_all_tables
    where schemaname = 'pg_toast' and relid >= ${FIRST_TABLE}::int8::oid`.execute(tx)
  return rows[0]!.reads
}
