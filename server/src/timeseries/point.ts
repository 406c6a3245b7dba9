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
 * Of the objects and strings on a page, as they are stored: mostly compressed, to a third or so. A device may send a
 * megabyte a sample, and thousands of those must not be in memory together.
 */
const PAGE_BYTES = 1024 * 1024

/**
 * @param candidates a query with the columns of `order`, `number` (or null) and `other` (jsonb, or null)
 * @param order columns that put the candidates in order, `ms` among them
 * @returns the first candidates, at least one; and whether there were more of them
 */
export async function fetchPage<Row extends PointRow>(
  db: Kysely<Tables>,
  candidates: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): Promise<{ rows: Row[]; isCut: boolean }> {
  const { rows } = await sql<Row & { found: number }>`
    select ${order}, found, coalesce(number::text, other::text) as json from (
      select *, count(*) over ()::int as found,
        sum(pg_column_size(other)) over (order by ${order} rows between unbounded preceding and 1 preceding) as bytes_before
      from (${candidates}) candidate
    ) page where coalesce(bytes_before, 0) < ${PAGE_BYTES} order by ${order}`.execute(db)
  return { rows, isCut: rows.length > 0 && rows.length < rows[0]!.found }
}
