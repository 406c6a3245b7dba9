/**
 * Assigns rows to pieces. Each late row may belong to a different full piece, which is unpacked and packed again, so that
 * a transaction adds rows to a limited number of them.
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { dayNumber } from '../partition-names.ts'
import { countCells, holdsNumbersAlone, type PackedRows, type UnpackedRows } from './unpacked-rows.ts'
import { compareBigInts, sliceRows } from './merge-unpacked-rows.ts'
import { isBehind, listPieces, listPiecesBefore, type PiecePlace, weighPiece } from './piece-places.ts'
import type { StreamRows } from './read-batch.ts'
import type { MergeLimits, PackLimits, RowKey } from './row-key.ts'

/** Rows of one piece. */
export interface Addition extends StreamRows {
  /** The pieces that are packed again with the rows, one behind the other; empty if the rows form a new one. */
  pieces: PiecePlace[]
}

/** @returns additions of the first rows, at least one */
export async function chooseAdditions(
  tx: Kysely<Tables>,
  found: StreamRows[],
  limits: PackLimits,
): Promise<Addition[]> {
  const joinable = await listJoinable(tx, found, limits)
  const chosen: Addition[] = []
  let cells = 0
  for (const [index, one] of found.entries())
    for (const addition of divideRows(one, joinable[index]!, limits)) {
      for (const piece of addition.pieces) cells += weighPiece(piece)
      if (cells > limits.cells && chosen.length > 0) return chosen
      chosen.push(await leaveTexts(tx, addition))
    }
  return chosen
}

/**
 * Several pieces are joined only if they hold numbers alone. How much their texts take is known only when these are
 * unpacked: pieces that are too large together would be divided again, and each run would repeat that.
 */
async function leaveTexts(tx: Kysely<Tables>, addition: Addition): Promise<Addition> {
  const { tenantNumber, streamNumber, pieces } = addition
  if (pieces.length < 2) return addition
  const place = ({ firstMs, firstMessage }: PiecePlace) =>
    sql`(${new Date(firstMs).toISOString()}::timestamptz, ${`${firstMessage}`}::bigint)`
  const { rows } = await sql<Omit<PackedRows, 'rowCount'>>`
    select sections, ends, data from packed_rows
    where tenant_number = ${tenantNumber}::int and stream_number = ${streamNumber}::int
      and (first_time, first_message) >= ${place(pieces[0]!)} and (first_time, first_message) <= ${place(pieces.at(-1)!)}`.execute(
    tx,
  )
  return rows.every(holdsNumbersAlone) ? addition : { ...addition, pieces: pieces.slice(-1) }
}

const isNumeric = ({ columns }: UnpackedRows) =>
  [...columns.values()].every(({ others }) => others.length === 0)

/** Pieces that are packed together. */
type Joined = PiecePlace[]

/**
 * @returns for each stream the pieces of the day, and those before it that are small enough to get the rows. Several of
 * these, if they hold numbers alone, are small enough together where versions before 0055 packed each day alone.
 */
async function listJoinable(
  tx: Kysely<Tables>,
  found: StreamRows[],
  { merged }: PackLimits,
): Promise<Joined[][]> {
  const pieces = await listPieces(tx, found)
  const isBefore = ({ lastMs }: PiecePlace, { day }: StreamRows) => dayNumber(lastMs) < day
  const joinable = found.map((one, index) =>
    pieces[index]!.filter((piece) => !isBefore(piece, one) || isJoint([piece], one, merged)).map((piece) => [
      piece,
    ]),
  )
  const shared = found.flatMap((one, index) => {
    const [joined] = joinable[index]!
    return joined && isBefore(joined[0]!, one) && joined[0]!.endsWithNumbers && isNumeric(one.rows)
      ? [{ ...one, joined, piece: joined[0]!, addedRows: one.rows.times.length }]
      : []
  })
  for (const [index, before] of (await listPiecesBefore(tx, shared, merged)).entries()) {
    const { joined } = shared[index]!
    for (const piece of before) {
      if (!isJoint([piece, ...joined], shared[index]!, merged)) break
      joined.unshift(piece)
    }
  }
  return joinable
}

/** Whether rows and the pieces before them may be in one piece. */
function isJoint(pieces: PiecePlace[], { day, rows }: StreamRows, limits: MergeLimits): boolean {
  const sum = (of: (piece: PiecePlace) => number) => pieces.reduce((total, piece) => total + of(piece), 0)
  return (
    day - dayNumber(pieces[0]!.firstMs) < limits.days &&
    sum(({ rowCount }) => rowCount) + rows.times.length <= limits.rows &&
    sum(weighPiece) + countCells(rows) <= limits.cells
  )
}

/** Assigns each row to the pieces before or around it. */
function divideRows({ rows, ...place }: StreamRows, joinable: Joined[], limits: PackLimits): Addition[] {
  const additions: Addition[] = []
  let start = 0
  for (let index = 0; index < Math.max(1, joinable.length); index++) {
    const [joined = [], next] = [joinable[index], joinable[index + 1]]
    const end = next ? findPlace(rows, next[0]!) : rows.times.length
    if (end === start) continue
    const last = joined.at(-1)
    const isNew = last === undefined || isBehind(rows.times[start]!, last, limits)
    additions.push({ ...place, pieces: isNew ? [] : joined, rows: sliceRows(rows, start, end) })
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
  return { tenantNumber, streamNumber, timeMs: rows.times[last]!, messageId: `${rows.messageIds[last]!}` }
}
