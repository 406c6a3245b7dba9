/** Adds rows to the pieces of their streams and days. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { takeTurns } from '../../../lib/take-turns.ts'
import { type Day, unpackDay } from './day.ts'
import { compareBigInts, mergeDays, sliceDay } from './merge-days.ts'
import { isBehind, listPieces, type PiecePlace, type StreamDay } from './piece-places.ts'
import { createPieceWriter, type PieceWriter, takePieces } from './pieces.ts'
import type { PackLimits } from './row-key.ts'
import type { TakenRows } from './take-rows.ts'

type PieceLimits = Pick<PackLimits, 'pieceRows' | 'pieceCells' | 'rollups'>

/**
 * Assigns each row to the piece before or around it. Only pieces that get rows are packed again, so the work depends on
 * the number of new rows and not on the size of the day.
 */
export async function addToPieces(
  tx: Kysely<Tables>,
  taken: TakenRows[],
  limits: PieceLimits,
): Promise<void> {
  if (taken.length === 0) return
  const pieces = await listPieces(tx, taken)
  const additions = taken.flatMap((one, index) => divideRows(one, pieces[index]!, limits))
  const known = await takePieces(tx, additions)
  const turn = takeTurns()
  const writer = createPieceWriter(tx, turn, limits)
  for (const [index, { place, rows }] of additions.entries()) {
    await turn()
    const packed = known.get(index)
    // Pieces are unpacked one at a time, since unpacked they are much larger.
    const day = packed ? await mergeDays(await unpackDay(packed, turn), rows, turn) : rows
    await writePieces(writer, place, day, limits)
  }
  await writer.flush()
}

interface Addition {
  place: StreamDay
  /** The piece that is packed again; undefined if the rows form a new one. */
  piece: PiecePlace | undefined
  rows: Day
}

function divideRows({ rows, ...place }: TakenRows, pieces: PiecePlace[], limits: PieceLimits): Addition[] {
  const additions: Addition[] = []
  let start = 0
  for (let index = 0; index < Math.max(1, pieces.length); index++) {
    const [piece, next] = [pieces[index], pieces[index + 1]]
    const end = next ? findPlace(rows, next) : rows.times.length
    if (end === start) continue
    const isNew = piece === undefined || isBehind(rows.times[start]!, piece, limits)
    additions.push({ place, piece: isNew ? undefined : piece, rows: sliceDay(rows, start, end) })
    start = end
  }
  return additions
}

/** @returns the index of the first row at or after the start of the piece */
function findPlace({ times, messageIds }: Day, { firstMs, firstMessage }: PiecePlace): number {
  let row = 0
  while (row < times.length && (times[row]! - firstMs || compareBigInts(messageIds[row]!, firstMessage)) < 0)
    row++
  return row
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
