/** Finds the positions of the pieces in which rows of a stream and day belong, without their content. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { DAY_MS } from '../partition-names.ts'
import { BYTES_A_CELL, type MergeLimits, type PackLimits } from './row-key.ts'

export interface StreamPlace {
  tenantNumber: number
  streamNumber: number
}

export interface StreamDay extends StreamPlace {
  /** Days since 1970, UTC. */
  day: number
}

export interface PiecePlace {
  firstMs: number
  firstMessage: bigint
  lastMs: number
  rowCount: number
  columnCount: number
  /** Size of the compressed data. */
  bytes: number
  /** Whether the last value of each series is a number. */
  endsWithNumbers: boolean
}

interface PlaceRow {
  place: number
  first_ms: number
  first_message: string
  last_ms: number
  row_count: number
  column_count: number
  bytes: number
  ends_with_numbers: boolean
}

export const epochMs = (column: string) => sql`round(date_part('epoch', ${sql.ref(column)}) * 1000)`

const listed = sql`place::int - 1 as place, ${epochMs('first_time')} as first_ms, first_message, ${epochMs('last_time')} as last_ms,
  row_count, column_count, bytes, ends_with_numbers`
const columns = sql`first_time, first_message, last_time, row_count, cardinality(sections) as column_count,
  octet_length(data) as bytes, last_others is null as ends_with_numbers`
const isOfStream = sql`p.tenant_number = wanted.tenant_number and p.stream_number = wanted.stream_number`

/**
 * @returns for each stream and day the last piece that begins before the day, and those that begin in it, in the order of
 * their rows
 */
export async function listPieces(tx: Kysely<Tables>, streamDays: StreamDay[]): Promise<PiecePlace[][]> {
  const column = (of: (one: StreamDay) => number) => streamDays.map(of)
  const startOf = (days: number) => sql`to_timestamp((wanted.day + ${days}::int) * ${DAY_MS / 1000}::float8)`
  const { rows } = await sql<PlaceRow>`
    select ${listed}
    from unnest(${column((one) => one.tenantNumber)}::int[], ${column((one) => one.streamNumber)}::int[],
      ${column(({ day }) => day)}::int[]) with ordinality as wanted (tenant_number, stream_number, day, place)
    cross join lateral (
      (select ${columns} from packed_rows p where ${isOfStream} and first_time < ${startOf(0)}
      order by first_time desc, first_message desc limit 1)
      union all
      select ${columns} from packed_rows p where ${isOfStream} and first_time >= ${startOf(0)} and first_time < ${startOf(1)}
    ) piece
    order by place, first_time, first_message`.execute(tx)
  return groupPlaces(rows, streamDays.length)
}

/** A piece and the number of rows that are added to it. */
interface GrowingPiece extends StreamPlace {
  piece: PiecePlace
  addedRows: number
}

/**
 * Each step finds the piece before the last one found, so that not more than one that does not fit is read.
 * @returns for each piece those before it in its stream that end with numbers, begin within the days and have few enough
 * rows together, the last one first
 */
export async function listPiecesBefore(
  tx: Kysely<Tables>,
  pieces: GrowingPiece[],
  limits: Pick<MergeLimits, 'rows' | 'days'>,
): Promise<PiecePlace[][]> {
  if (pieces.length === 0) return []
  const before = (first: RawBuilder<unknown>, total: RawBuilder<unknown>) => sql`
    select * from (
      select ${columns}, ${total} + p.row_count as total from packed_rows p where ${isOfStream} and (p.first_time, p.first_message) < (${first})
        and p.first_time >= wanted.start - ${limits.days}::int * interval '1 day'
      order by p.first_time desc, p.first_message desc limit 1
    ) piece where ends_with_numbers and total <= ${limits.rows}::int`
  const { rows } = await sql<PlaceRow>`
    select ${listed}
    from unnest(${pieces.map((one) => one.tenantNumber)}::int[], ${pieces.map((one) => one.streamNumber)}::int[],
      ${pieces.map(({ piece }) => new Date(piece.firstMs).toISOString())}::timestamptz[], ${pieces.map(({ piece }) => `${piece.firstMessage}`)}::bigint[],
      ${pieces.map(({ piece, addedRows }) => piece.rowCount + addedRows)}::int[])
      with ordinality as wanted (tenant_number, stream_number, start, message, total, place)
    cross join lateral (
      with recursive found as (
        (${before(sql`wanted.start, wanted.message`, sql`wanted.total`)})
        union all
        select next.* from found cross join lateral (${before(sql`found.first_time, found.first_message`, sql`found.total`)}) next
      )
      select * from found
    ) piece
    order by place, first_time desc, first_message desc`.execute(tx)
  return groupPlaces(rows, pieces.length)
}

function groupPlaces(rows: PlaceRow[], count: number): PiecePlace[][] {
  const found: PiecePlace[][] = Array.from({ length: count }, () => [])
  for (const row of rows)
    found[row.place]!.push({
      firstMs: row.first_ms,
      firstMessage: BigInt(row.first_message),
      lastMs: row.last_ms,
      rowCount: row.row_count,
      columnCount: row.column_count,
      bytes: row.bytes,
      endsWithNumbers: row.ends_with_numbers,
    })
  return found
}

/** The number of values that unpacking a piece is worth: long texts count by their size. */
export const weighPiece = ({
  rowCount,
  columnCount,
  bytes,
}: Pick<PiecePlace, 'rowCount' | 'columnCount' | 'bytes'>): number =>
  Math.max(rowCount * columnCount, bytes / BYTES_A_CELL)

/** Whether rows from a time on form a new piece after this one, which is then not packed again. */
export const isBehind = (
  firstMs: number,
  { lastMs, rowCount, columnCount }: PiecePlace,
  { pieceRows, pieceCells }: Pick<PackLimits, 'pieceRows' | 'pieceCells'>,
): boolean => firstMs > lastMs && (rowCount >= pieceRows / 2 || rowCount * columnCount >= pieceCells / 2)
