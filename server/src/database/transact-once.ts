/**
 * A transaction that is tried again until it is committed, and that is committed once: where the answer to a commit was
 * lost, PostgreSQL is asked for its outcome before the next try.
 */
import { type Kysely, sql } from 'kysely'
import { retry } from '../lib/retry.ts'
import type { Tables } from './tables.ts'

/**
 * @param work may run several times
 * @throws the last error, once the time is over or the data is at fault
 */
export async function transactOnce<T>(
  db: Kysely<Tables>,
  patienceMs: number,
  work: (tx: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  let last: { transactionId: string; value: T } | undefined
  await retry(patienceMs, async () => {
    if (last && (await isCommitted(db, last.transactionId))) return
    last = undefined
    await db.transaction().execute(async (tx) => {
      const transactionId = await getTransactionId(tx)
      last = { transactionId, value: await work(tx) }
    })
  })
  return last!.value
}

async function getTransactionId(tx: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(tx)
  return rows[0]!.id
}

/** @throws while the transaction is in progress */
async function isCommitted(db: Kysely<Tables>, transactionId: string): Promise<boolean> {
  const { rows } = await sql<{ status: string }>`
    select pg_xact_status(${transactionId}::xid8) as status`.execute(db)
  const { status } = rows[0]!
  if (status === 'in progress') throw new Error('the outcome of a transaction is not known yet')
  return status === 'committed'
}
