/**
 * Chooses the number of rows that one transaction packs. Each late row may belong to a different full piece, which is
 * unpacked and packed again; the values of these pieces count as well.
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { DAY_MS } from '../partition-names.ts'
import { epochMs, findPiece, isBehind, listPieces, type PiecePlace, type StreamDay } from './piece-places.ts'
import type { BatchEnd, PackLimits, RowKey, RowSpan } from './row-key.ts'
import { isInSpan, rowKey } from './take-rows.ts'

/** Number of bytes of other values that count as one number. */
const BYTES_A_CELL = 8

/** Rows of one stream and day. */
export interface FoundRows extends StreamDay {
  cells: number
  first: Place
  last: Place
}

interface Place {
  ms: number
  message: bigint
}

interface FoundRow {
  tenant_number: number
  stream_number: number
  day: number
  cells: number
  messages: string[]
  first_ms: number
  last_ms: number
}

/** Lists the first rows of the span by stream and day, within the limits. */
export async function findRows(tx: Kysely<Tables>, span: RowSpan, limits: PackLimits): Promise<FoundRows[]> {
  const { rows } = await sql<FoundRow>`
    select tenant_number, stream_number, day, sum(cells)::float8 as cells, min(ms) as first_ms, max(ms) as last_ms,
      array[(array_agg(message_id order by ms, message_id))[1], (array_agg(message_id order by ms desc, message_id desc))[1]]::text[] as messages
    from (
      select *, floor(ms / ${DAY_MS}::int)::int as day,
        coalesce(sum(cells) over (order by ${rowKey} rows between unbounded preceding and 1 preceding), 0) as cells_before
      from (
        select ${rowKey}, ${epochMs('time')} as ms,
          1 + coalesce(cardinality(numbers), 0) + coalesce(octet_length(others::text), 0) / ${BYTES_A_CELL}::int as cells
        from ${sql.table(span.partition)} where ${isInSpan(span)} order by ${rowKey} limit ${limits.rows}
      ) measured
    ) summed where cells_before < ${limits.cells}
    group by tenant_number, stream_number, day order by 1, 2, 3 limit ${limits.streamDays}`.execute(tx)
  return rows.map((row) => ({
    tenantNumber: row.tenant_number,
    streamNumber: row.stream_number,
    day: row.day,
    cells: row.cells,
    first: { ms: row.first_ms, message: BigInt(row.messages[0]!) },
    last: { ms: row.last_ms, message: BigInt(row.messages[1]!) },
  }))
}

/** Ends the batch when the pieces of its rows have too many values; the first piece is always included. */
export async function chooseEnd(
  tx: Kysely<Tables>,
  found: FoundRows[],
  limits: PackLimits,
): Promise<BatchEnd> {
  const piecesByDay = await listPieces(tx, found)
  let cells = 0
  let end: BatchEnd | undefined
  for (const [index, group] of found.entries()) {
    for (const piece of listTouched(group, piecesByDay[index]!)) {
      cells += countCells(piece, group, limits)
      if (end && cells > limits.cells) return end
      end = endBefore(group, piece, piecesByDay[index]!)
    }
    cells += group.cells
    if (end && cells > limits.cells) return end
    end = { key: createKey(group, group.last), isIncluded: true }
  }
  return end!
}

function listTouched({ first, last }: FoundRows, pieces: PiecePlace[]): PiecePlace[] {
  return pieces.slice(findPiece(pieces, first), findPiece(pieces, last) + 1)
}

const countCells = (piece: PiecePlace, { first }: FoundRows, limits: PackLimits): number =>
  isBehind(first.ms, piece, limits) ? 0 : Math.min(piece.rowCount * piece.columnCount, limits.pieceCells)

/** @returns the end of the rows that belong to the piece */
function endBefore(group: FoundRows, piece: PiecePlace, pieces: PiecePlace[]): BatchEnd {
  const next = pieces[pieces.indexOf(piece) + 1]
  return next
    ? { key: createKey(group, { ms: next.firstMs, message: next.firstMessage }), isIncluded: false }
    : { key: createKey(group, group.last), isIncluded: true }
}

const createKey = ({ tenantNumber, streamNumber }: StreamDay, { ms, message }: Place): RowKey => ({
  tenantNumber,
  streamNumber,
  timeMs: ms,
  messageId: message,
})
