/** Adds rows to the pieces of their streams and days. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { takeTurns } from '../../../lib/take-turns.ts'
import type { Addition } from './choose-additions.ts'
import { type Day, unpackDay } from './day.ts'
import { mergeDays, sliceDay } from './merge-days.ts'
import type { StreamDay } from './piece-places.ts'
import { createPieceWriter, type PieceWriter, takePieces } from './pieces.ts'
import type { PackLimits } from './row-key.ts'

type PieceLimits = Pick<PackLimits, 'pieceRows' | 'pieceCells' | 'rollups'>

/**
 * Only pieces that get rows are packed again, so the work depends on the number of new rows and not on the size of the
 * day.
 */
export async function addToPieces(
  tx: Kysely<Tables>,
  additions: Addition[],
  limits: PieceLimits,
): Promise<void> {
  const known = await takePieces(tx, additions)
  const turn = takeTurns()
  const writer = createPieceWriter(tx, turn, limits)
  for (const [index, { rows, ...place }] of additions.entries()) {
    await turn()
    const packed = known.get(index)
    // Pieces are unpacked one at a time, since unpacked they are much larger.
    const day = packed ? await mergeDays(await unpackDay(packed, turn), rows, turn) : rows
    await writePieces(writer, place, day, limits)
  }
  await writer.flush()
}

async function writePieces(
  writer: PieceWriter,
  place: StreamDay,
  day: Day,
  limits: PieceLimits,
): Promise<void> {
  const count = countPieces(day, limits)
  const size = Math.ceil(day.times.length / count)
  for (let start = 0; start < day.times.length; start += size)
    await writer.add(place, sliceDay(day, start, Math.min(start + size, day.times.length)))
}

/** The weight of a value that is not a number is the length of its text. */
function countPieces({ times, columns }: Day, { pieceRows, pieceCells }: PieceLimits): number {
  let cells = 0
  for (const { numbers, others } of columns.values()) {
    cells += numbers.length
    for (const text of others) cells += 1 + text.length / 8
  }
  return Math.max(1, Math.ceil(times.length / pieceRows), Math.ceil(cells / pieceCells))
}
