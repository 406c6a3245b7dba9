/** Chooses the pieces of one series that are read in one transaction. */
import { type Kysely, sql } from 'kysely'
import { executePrepared } from '../../../database/execute-prepared.ts'
import type { Tables } from '../../../database/tables.ts'
import type { Series } from '../series.ts'
import { epochMs } from './piece-places.ts'
import { startAround } from './start-around.ts'

export interface PackedSpan {
  /** Milliseconds since 1970. The span includes `from` and excludes `to`. */
  from: number
  to: number
  /** Number of rows after which no further piece is read. */
  maxRows: number
}

export interface SeriesPiece {
  first_ms: number
  first_message: string
  last_ms: number
  row_count: number
  /** Size of the series' column in the piece. */
  bytes: number
  /** Offset before the rollups of the series, and after those of each length; null if the piece has no rollups. */
  rollup_ends: number[] | null
}

export interface ChosenPieces {
  /** Pieces in time order. */
  pieces: SeriesPiece[]
  /** Before this time, no other piece has samples of the span. */
  to: number
}

/** Maximum number of pieces of one statement. */
const MAX_PIECES = 500
/** Number of compressed bytes that count as one row. */
const BYTES_A_ROW = 8

export const choosePieces = async (
  tx: Kysely<Tables>,
  series: Series,
  span: PackedSpan,
): Promise<ChosenPieces> => cutPieces(await listPieces(tx, series, span), { ...span, weigh: weighSamples })

/** Number of rows that unpacking a piece is worth. */
export const weighSamples = ({ row_count: rows, bytes }: SeriesPiece): number => rows + bytes / BYTES_A_ROW

/** @param weigh returns the weight of a piece in rows */
export function cutPieces(
  { pieces, to }: ChosenPieces,
  { maxRows, weigh }: { maxRows: number; weigh: (piece: SeriesPiece) => number },
): ChosenPieces {
  let rows = 0
  for (const [index, piece] of pieces.entries()) {
    rows += weigh(piece)
    if (rows >= maxRows && isCut(pieces, index))
      return { pieces: pieces.slice(0, index + 1), to: pieces[index + 1]!.first_ms }
  }
  return { pieces, to }
}

/** Whether a span may end after a piece: samples with the same time stay together, because a span ends at a time. */
const isCut = (pieces: SeriesPiece[], index: number): boolean =>
  index + 1 < pieces.length && pieces[index + 1]!.first_ms !== pieces[index]!.last_ms

/** Lists the first pieces of the span. */
export async function listPieces(
  tx: Kysely<Tables>,
  series: Series,
  { from, to }: Pick<PackedSpan, 'from' | 'to'>,
): Promise<ChosenPieces> {
  const statement = sql<SeriesPiece>`
    select ${epochMs('first_time')} as first_ms, first_message, ${epochMs('last_time')} as last_ms, row_count,
      ends[index] - ends[index - 1] as bytes, rollup_ends[2 * index - 2 : 2 * index] as rollup_ends
    from (
      select *, array_position(sections, ${series.slot}::int) as index from packed_rows
      where ${isOfSeries(series)} and first_time >= ${startAround(series, toDate(from))} and last_time >= ${toDate(from)}
        and first_time < ${toDate(to)}
    ) piece order by piece.first_time, piece.first_message limit ${MAX_PIECES}`
  const { rows: found } = await executePrepared(tx, 'pieces-of-series', statement)
  if (found.length < MAX_PIECES) return { pieces: found, to }
  const last = found.findLastIndex((_piece, index) => isCut(found, index))
  if (last < 0) throw new Error('a series has more pieces of one time than can be read at once')
  return { pieces: found.slice(0, last + 1), to: found[last + 1]!.first_ms }
}

/** Condition for pieces that have samples of a series. */
export const isOfSeries = ({ tenantNumber, streamNumber, slot }: Series) => sql`
  tenant_number = ${tenantNumber}::int and stream_number = ${streamNumber}::int and ${slot}::int = any(sections)`

export const toDate = (ms: number) => sql`${new Date(Math.max(ms, FIRST_MS)).toISOString()}::timestamptz`
/** The earliest valid time. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z')
