/**
 * Pages of points of an answer. The database formats them as text, which this process only passes on. Reading them row by
 * row and formatting them here takes five times as much processor time, and blocks the event loop.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { PointFormat } from './point-format.ts'

export interface Page {
  /** At least one piece. Pieces are short, because a text of more than 128 KiB stays in memory for long after it was sent. */
  pieces: string[]
  /** The number of points in all pieces. */
  count: number
  /** The time of the last point, in milliseconds since 1970. */
  lastMs: number
  /** Whether there were more candidates than fit on the page. */
  isCut: boolean
}

/** Format and limit that apply to all pages of one answer. */
export interface Output {
  format: PointFormat
  /** The maximum number of points on all pages together. */
  limit: number
}

/** @returns the texts to send: a long text is not copied only to put a short one in front of it */
export const joinPieces = (before: string, piece: string): string[] =>
  piece.length > PIECE_BYTES && before ? [before, piece] : [before + piece]

/** Once the limit is reached, one more point is requested, which shows whether the answer is complete. */
export const pointsOfPage = (most: number, left: number) => Math.max(1, Math.min(most, left))

const PIECE_BYTES = 96 * 1024
/**
 * The assumed size of a compressed value, as a multiple of its stored size: mostly it is three, for one repeated character
 * eighty. It decides which values are read; a value that is still too large for the page is left for the next page.
 */
const COMPRESSION = 8

interface PageRequest {
  /** A query with the columns `time`, `number` (or null), `other` (jsonb, or null) and those of `order`. */
  candidates: RawBuilder<unknown>
  /** The columns by which the candidates are ordered. */
  order: RawBuilder<unknown>
  format: PointFormat
  /** Additional columns of each piece; the page has those of its last piece. */
  besides?: RawBuilder<unknown>
  /** Points are added until the page has this many bytes: a device may send a megabyte per sample. */
  maxBytes: number
}

interface PieceRow extends Pick<Page, 'count' | 'lastMs'> {
  /** null for the points that do not fit on the page. */
  text: string | null
}

/** @returns a page of the first candidates, or undefined if there are none */
export async function findPage<Besides = unknown>(
  db: Kysely<Tables>,
  { candidates, order, format, besides, maxBytes }: PageRequest,
): Promise<(Page & Besides) | undefined> {
  const sumBefore = (bytes: RawBuilder<unknown>) => sql`coalesce(
    sum(${bytes}) over (order by ${order} rows between unbounded preceding and 1 preceding), 0)`
  const estimate = sql`pg_column_size(other) * case when pg_column_compression(other) is null then 1 else ${COMPRESSION} end`
  // `offset 0` makes the database build the text once, not at each use of its name.
  const { rows } = await sql<PieceRow & Besides>`
    select string_agg(text, ${format.separator} order by ${order}) filter (where piece is not null) as text, count(*)::int as count,
      round(date_part('epoch', max(time)) * 1000) as "lastMs" ${besides ? sql`, ${besides}` : sql``}
    from (
      select *, case when text is not null and bytes_before < ${maxBytes} then bytes_before / ${PIECE_BYTES}::int end as piece
      from (
        select *, ${sumBefore(sql`octet_length(text)`)} as bytes_before
        from (
          select *, case when estimate_before < ${maxBytes} then ${format.point} end as text
          from (select *, ${sumBefore(estimate)} as estimate_before from (${candidates}) candidate) estimated offset 0
        ) written
      ) measured
    ) placed group by piece order by piece`.execute(db)
  const fitting = rows.filter(({ text }) => text !== null)
  const last = fitting.at(-1)
  return (
    last && {
      ...last,
      pieces: fitting.map(({ text }) => text!),
      count: fitting.reduce((sum, { count }) => sum + count, 0),
      isCut: fitting.length < rows.length,
    }
  )
}
