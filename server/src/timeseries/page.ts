/**
 * Points of an answer, put together as text by the database, so that they only pass through here. Reading them row by
 * row and writing them again takes ten times as much processor time, and holds the event loop.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { PointFormat } from './point-format.ts'

export interface Page {
  text: string
  /** Points; at least one. */
  count: number
  /** The time of its last point, in milliseconds since 1970. */
  lastMs: number
  /** Whether there were more candidates than fit on it. */
  isCut: boolean
}

/** What the pages of one answer are like. */
export interface Output {
  format: PointFormat
  /** At most so many points on all pages together. */
  limit: number
}

/** Past the limit one more point is looked for, which tells whether the answer is complete. */
export const pointsOfPage = (most: number, left: number) => Math.max(1, Math.min(most, left))

/**
 * Of the objects and strings on a page. A device may send a megabyte a sample, and thousands of those must not be in
 * memory together: neither those of one answer nor those of many that are written at once.
 */
const PAGE_BYTES = 256 * 1024
/** How much larger what is stored compressed is taken for: mostly it is three times, of a repeated character eighty. */
const COMPRESSION = 8

interface PageRequest {
  /** A query with the columns `time`, `number` (or null), `other` (jsonb, or null) and those of `order`. */
  candidates: RawBuilder<unknown>
  /** Columns that put the candidates in order. */
  order: RawBuilder<unknown>
  format: PointFormat
  /** More columns of the page. */
  besides?: RawBuilder<unknown>
  maxBytes?: number
}

/** @returns the first candidates; nothing where there are none */
export async function findPage<Besides = unknown>(
  db: Kysely<Tables>,
  { candidates, order, format, besides, maxBytes = PAGE_BYTES }: PageRequest,
): Promise<(Page & Besides) | undefined> {
  const { rows } = await sql<Page & Besides>`
    select string_agg(${format.point}, ${format.separator} order by ${order}) as text, count(*)::int as count,
      round(date_part('epoch', max(time)) * 1000) as "lastMs", count(*) < max(found) as "isCut"
      ${besides ? sql`, ${besides}` : sql``}
    from (
      select *, count(*) over () as found,
        sum(pg_column_size(other) * case when pg_column_compression(other) is null then 1 else ${COMPRESSION} end)
          over (order by ${order} rows between unbounded preceding and 1 preceding) as bytes_before
      from (${candidates}) candidate
    ) page where coalesce(bytes_before, 0) < ${maxBytes} having count(*) > 0`.execute(db)
  return rows[0]
}
