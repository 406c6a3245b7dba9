/**
 * Assigns rows to pieces. Each late row may belong to a different full piece, which is unpacked and packed again, so that
 * a transaction adds rows to a limited number of them.
 */
import type { Kysely } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { dayNumber } from '../partition-names.ts'
import { countCells, type UnpackedRows } from './unpacked-rows.ts'
import { compareBigInts, sliceRows } from './merge-unpacked-rows.ts'
import { isBehind, listPieces, type PiecePlace, weighPiece } from './piece-places.ts'
import type { StreamRows } from './read-batch.ts'
import type { PackLimits, RowKey } from './row-key.ts'

/** Rows of one piece. */
export interface Addition extends StreamRows {
  /** The piece that is packed again; undefined if the rows form a new one. */
  piece: PiecePlace | undefined
}

/** @returns additions of the first rows, at least one */
export async function chooseAdditions(
  tx: Kysely<Tables>,
  found: StreamRows[],
  limits: PackLimits,
): Promise<Addition[]> {
  const pieces = await listPieces(tx, found)
  const chosen: Addition[] = []
  let cells = 0
  for (const [index, one] of found.entries())
    for (const addition of divideRows(one, listJoinable(one, pieces[index]!, limits), limits)) {
      cells += addition.piece ? weighPiece(addition.piece) : 0
      if (cells > limits.cells && chosen.length > 0) return chosen
      chosen.push(addition)
    }
  return chosen
}

/** @returns the pieces of the day, and the one before it if that is small enough to get the rows */
function listJoinable({ day, rows }: StreamRows, pieces: PiecePlace[], { merged }: PackLimits): PiecePlace[] {
  const isSmall = (piece: PiecePlace) =>
    day - dayNumber(piece.firstMs) < merged.days &&
    piece.rowCount + rows.times.length <= merged.rows &&
    weighPiece(piece) + countCells(rows) <= merged.cells
  return pieces.filter((piece) => dayNumber(piece.lastMs) >= day || isSmall(piece))
}

/** Assigns each row to the piece before or around it. */
function divideRows({ rows, ...place }: StreamRows, pieces: PiecePlace[], limits: PackLimits): Addition[] {
  const additions: Addition[] = []
  let start = 0
  for (let index = 0; index < Math.max(1, pieces.length); index++) {
    const [piece, next] = [pieces[index], pieces[index + 1]]
    const end = next ? findPlace(rows, next) : rows.times.length
    if (end === start) continue
    const isNew = piece === undefined || isBehind(rows.times[start]!, piece, limits)
    additions.push({ ...place, piece: isNew ? undefined : piece, rows: sliceRows(rows, start, end) })
    start = end
  }
  return additions
}

/** @returns the index of the first row at or after the start of the piece */
function findPlace({ times, messageIds }: UnpackedRows, { firstMs, firstMessage }: PiecePlace): number {
  let row = 0
  while (row < times.length && (times[row]! - firstMs || compareBigInts(messageIds[row]!, firstMessage)) < 0)
    row++
  return row
}

export function findLastKey({ tenantNumber, streamNumber, rows }: StreamRows): RowKey {
  const last = rows.times.length - 1
  return { tenantNumber, streamNumber, timeMs: rows.times[last]!, messageId: rows.messageIds[last]! }
}
