/** Packs the first rows of a span in one transaction. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { addToPieces } from './add-to-pieces.ts'
import { type Addition, chooseAdditions, findLastKey } from './choose-additions.ts'
import { lockStreams } from './lock-streams.ts'
import { readBatch } from './read-batch.ts'
import { isInSpan, isUpTo, type PackLimits, type RowKey, type RowSpan } from './row-key.ts'

/**
 * Exactly the rows that were read are deleted: those that others commit meanwhile stay, and a change of a row that was
 * read lets the transaction fail.
 * @param tx has one snapshot: see `changePieces`
 * @returns the last row of the batch
 */
export async function packBatch(
  tx: Kysely<Tables>,
  span: RowSpan,
  limits: PackLimits,
): Promise<RowKey | 'done'> {
  const found = await readBatch(tx, span, limits)
  if (found.length === 0) return 'done'
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
