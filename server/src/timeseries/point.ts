/** Values of an answer, as they come from the database: in pages that fit into memory. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'

export interface Point {
  /** Milliseconds since 1970. */
  time: number
  /** The value as JSON text: what is only passed on need not be parsed and written again. */
  json: string
}

export interface PointRow {
  ms: number
  json: string
}

/** JSON has no word for NaN and infinity, which PostgreSQL prints as such. */
export const pointOf = ({ ms, json }: PointRow): Point => ({
  time: Math.round(ms),
  json: /^-?[NI]/.test(json) ? 'null' : json,
})

/**
 * Of the objects and strings on a page. A device may send a megabyte a sample, and thousands of those must not be in
 * memory together: neither those of one answer nor those of many that are written at once.
 */
const PAGE_BYTES = 256 * 1024
/** How much larger what is stored compressed is taken for: mostly it is three times, of a repeated character eighty. */
const COMPRESSION = 8

interface Page {
  /** A query with the columns of `order`, `number` (or null) and `other` (jsonb, or null). */
  candidates: RawBuilder<unknown>
  /** Columns that put the candidates in order, `ms` among them. */
  order: RawBuilder<unknown>
  maxBytes?: number
}

/** @returns the first candidates, at least one; and whether there were more of them */
export async function fetchPage<Row extends PointRow>(
  db: Kysely<Tables>,
  { candidates, order, maxBytes = PAGE_BYTES }: Page,
): Promise<{ rows: Row[]; isCut: boolean }> {
  const { rows } = await sql<Row & { found: number }>`
    select ${order}, found, coalesce(number::text, other::text) as json from (
      select *, count(*) over ()::int as found,
        sum(pg_column_size(other) * case when pg_column_compression(other) is null then 1 else ${COMPRESSION} end) over (order by ${order} rows between unbounded preceding and 1 preceding) as bytes_before
      from (${candidates}) candidate
    ) page where coalesce(bytes_before, 0) < ${maxBytes} order by ${order}`.execute(db)
  return { rows, isCut: rows.length > 0 && rows.length < rows[0]!.found }
}
