/** Packs the first rows of a span in one transaction. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { addToPieces } from './add-to-pieces.ts'
import { chooseEnd, findRows } from './choose-batch.ts'
import { tryLockForPacking } from './pack-lock.ts'
import type { BatchEnd, PackLimits, RowSpan } from './row-key.ts'
import { takeRows } from './take-rows.ts'

/**
 * Rows committed after `findRows`, also of other streams, are taken as well. Therefore the rows that were taken, not
 * those that were found, determine what is packed.
 * @returns the end of the batch
 */
export const packBatch = (
  db: Kysely<Tables>,
  span: RowSpan,
  limits: PackLimits,
): Promise<BatchEnd | 'nothing' | 'busy'> =>
  db.transaction().execute(async (tx) => {
    if (!(await tryLockForPacking(tx))) return 'busy'
    const found = await findRows(tx, span, limits)
    if (found.length === 0) return 'nothing'
    const end = await chooseEnd(tx, found, limits)
    const taken = await takeRows(tx, span, end)
    const existing = await lockStreams(
      tx,
      taken.map(({ streamNumber }) => streamNumber),
    )
    await addToPieces(
      tx,
      taken.filter(({ streamNumber }) => existing.has(streamNumber)),
      limits,
    )
    return end
  })

/**
 * Locks the streams, because the job that deletes the samples of a deleted stream would miss rows that are packed after
 * it.
 * @returns the streams that exist; they cannot be deleted before the transaction ends
 */
async function lockStreams(tx: Kysely<Tables>, numbers: number[]): Promise<Set<number>> {
  const { rows } = await sql<{ number: number }>`
    select number from streams where number = any(${[...new Set(numbers)]}::int[]) order by number for key share`.execute(
    tx,
  )
  return new Set(rows.map(({ number }) => number))
}
