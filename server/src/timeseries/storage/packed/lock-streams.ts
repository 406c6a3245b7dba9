import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import type { StreamPlace } from './piece-places.ts'

/**
 * Locks the streams, because the job that deletes the samples of a deleted stream would miss rows that are packed after
 * it.
 * @returns the streams that exist; they cannot be deleted before the transaction ends
 */
export async function lockStreams(tx: Kysely<Tables>, places: StreamPlace[]): Promise<Set<number>> {
  const numbers = [...new Set(places.map(({ streamNumber }) => streamNumber))]
  const { rows } = await sql<{ number: number }>`
    select number from streams where number = any(${numbers}::int[]) order by number for key share`.execute(
    tx,
  )
  return new Set(rows.map(({ number }) => number))
}
