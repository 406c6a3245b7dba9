/** Adds rows to the pieces of their streams. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { takeTurns } from '../../../lib/take-turns.ts'
import type { Addition } from './choose-additions.ts'
import { countCells, type UnpackedRows, unpackRows } from './unpacked-rows.ts'
import { divideByDays } from './divide-by-days.ts'
import { mergeUnpackedRows, sliceRows } from './merge-unpacked-rows.ts'
import type { StreamPlace } from './piece-places.ts'
import { createPieceWriter, type PieceWriter, takePieces } from './pieces.ts'
import type { PackLimits } from './row-key.ts'

type PieceLimits = Pick<PackLimits, 'pieceRows' | 'pieceCells' | 'merged' | 'rollups'>

/**
 * Only pieces that get rows are packed again, so the work depends on the number of new rows and not on the number of
 * packed ones.
 */
export async function addToPieces(
  tx: Kysely<Tables>,
  additions: Addition[],
  limits: PieceLimits,
): Promise<void> {
  const taken = await takePieces(tx, additions)
  const turn = takeTurns()
  const writer = createPieceWriter(tx, turn, limits)
  for (const [index, { rows, ...place }] of additions.entries()) {
    await turn()
    let all = rows
    // Pieces are unpacked one at a time, since unpacked they are much larger.
    for (const packed of taken.get(index) ?? [])
      all = await mergeUnpackedRows(await unpackRows(packed, turn), all, turn)
    await writePieces(writer, place, all, limits)
  }
  await writer.flush()
}

async function writePieces(
  writer: PieceWriter,
  place: StreamPlace,
  rows: UnpackedRows,
  limits: PieceLimits,
): Promise<void> {
  for (const part of divideByDays(rows, limits.merged)) {
    const size = Math.ceil(part.times.length / countPieces(part, limits))
    for (let start = 0; start < part.times.length; start += size)
      await writer.add(place, sliceRows(part, start, Math.min(start + size, part.times.length)))
  }
}

const countPieces = (rows: UnpackedRows, { pieceRows, pieceCells }: PieceLimits): number =>
  Math.max(1, Math.ceil(rows.times.length / pieceRows), Math.ceil(countCells(rows) / pieceCells))
