/** Packs the first rows of a span in one transaction. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { addToPieces } from './add-to-pieces.ts'
import { type Addition, chooseAdditions, findLastKey } from './choose-additions.ts'
import { tryLockForPacking } from './pack-lock.ts'
import { readBatch } from './read-batch.ts'
import { isInSpan, isUpTo, type PackLimits, type RowKey, type RowSpan } from './row-key.ts'

/**
 * All statements have the same snapshot, so that exactly the rows that were read are deleted: those that others commit
 * meanwhile stay, and a change of a row that was read lets the transaction fail.
 * @returns the last row of the batch
 */
export async function packBatch(
  db: Kysely<Tables>,
  span: RowSpan,
  limits: PackLimits,
): Promise<RowKey | 'nothing' | 'busy'> {
  try {
    return await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((tx) => packInTransaction(tx, span, limits))
  } catch (error) {
    if (isOvertaken(error)) return 'busy'
    throw error
  }
}

async function packInTransaction(
  tx: Kysely<Tables>,
  span: RowSpan,
  limits: PackLimits,
): Promise<RowKey | 'nothing' | 'busy'> {
  if (!(await tryLockForPacking(tx))) return 'busy'
  const found = await readBatch(tx, span, limits)
  if (found.length === 0) return 'nothing'
  const additions = await chooseAdditions(tx, found, limits)
  const end = findLastKey(additions.at(-1)!)
  await deleteRows(tx, { span, end, additions })
  const existing = await lockStreams(tx, additions)
  await addToPieces(
    tx,
    additions.filter(({ streamNumber }) => existing.has(streamNumber)),
    limits,
  )
  return end
}

const SERIALIZATION_FAILURE = '40001'

/** Whether another transaction has changed what this one was going to change. */
const isOvertaken = (error: unknown): boolean => (error as { code?: string }).code === SERIALIZATION_FAILURE

interface Batch {
  span: RowSpan
  end: RowKey
  additions: Addition[]
}

async function deleteRows(tx: Kysely<Tables>, { span, end, additions }: Batch): Promise<void> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(span.partition)} where ${isInSpan(span)} and ${isUpTo(end)}`.execute(tx)
  const read = additions.reduce((sum, { rows }) => sum + rows.times.length, 0)
  if (Number(numAffectedRows) !== read)
    throw new Error(`${numAffectedRows} rows would be deleted, but ${read} are packed`)
}

/**
 * Locks the streams, because the job that deletes the samples of a deleted stream would miss rows that are packed after
 * it.
 * @returns the streams that exist; they cannot be deleted before the transaction ends
 */
async function lockStreams(tx: Kysely<Tables>, additions: Addition[]): Promise<Set<number>> {
  const numbers = [...new Set(additions.map(({ streamNumber }) => streamNumber))]
  const { rows } = await sql<{ number: number }>`
    select number from streams where number = any(${numbers}::int[]) order by number for key share`.execute(
    tx,
  )
  return new Set(rows.map(({ number }) => number))
}
