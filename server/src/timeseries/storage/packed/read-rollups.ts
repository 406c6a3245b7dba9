/** Reads the rollups of one series. [docs/telemetry#rollups] */
import { type Kysely, sql } from 'kysely'
import { executePrepared } from '../../../database/execute-prepared.ts'
import type { Tables } from '../../../database/tables.ts'
import { takeTurns } from '../../../lib/take-turns.ts'
import type { Series } from '../series.ts'
import type { SeriesPiece } from './choose-pieces.ts'
import { ROLLUP_LENGTHS_MS } from './piece-rollups.ts'
import { unpackRollups } from './rollup-codec.ts'
import type { RolledUp } from './rollup.ts'

/** Size of the rollups of a series in a piece; zero if it has none of this length. */
export function rollupBytes({ rollup_ends: ends }: SeriesPiece, lengthMs: number): number {
  const { start, end } = findRollups(ends, lengthMs)
  return end - start
}

function findRollups(ends: number[] | null, lengthMs: number) {
  const index = ROLLUP_LENGTHS_MS.indexOf(lengthMs)
  return { start: ends?.[index] ?? 0, end: ends?.[index + 1] ?? 0 }
}

/**
 * Call it in a transaction with one snapshot.
 * @param lengths the length of the buckets to read from each piece, which has such rollups
 */
export async function readRollups(
  tx: Kysely<Tables>,
  { tenantNumber, streamNumber }: Series,
  lengths: Map<SeriesPiece, number>,
): Promise<Map<SeriesPiece, RolledUp[]>> {
  const found = new Map<SeriesPiece, RolledUp[]>()
  if (lengths.size === 0) return found
  const pieces = [...lengths.keys()]
  const places = pieces.map((piece) => findRollups(piece.rollup_ends, lengths.get(piece)!))
  const statement = sql<{ place: number; rollups: Buffer }>`
    select place::int - 1 as place, substr(rollups, start + 1, size) as rollups
    from unnest(${pieces.map((piece) => toIsoTime(piece.first_ms))}::timestamptz[], ${pieces.map((piece) => piece.first_message)}::bigint[],
      ${places.map(({ start }) => start)}::int[], ${places.map(({ start, end }) => end - start)}::int[])
      with ordinality as wanted (first_time, first_message, start, size, place)
    join packed_rows using (first_time, first_message)
    where tenant_number = ${tenantNumber}::int and stream_number = ${streamNumber}::int`
  const { rows } = await executePrepared(tx, 'rollups-of-pieces', statement)
  const turn = takeTurns()
  for (const { place, rollups } of rows) {
    await turn()
    const piece = pieces[place]!
    found.set(piece, unpackRollups(rollups, lengths.get(piece)!))
  }
  return found
}

const toIsoTime = (ms: number) => new Date(ms).toISOString()
