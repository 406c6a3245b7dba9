import { type RawBuilder, sql } from 'kysely'

/** The assumed size of a compressed value, as a multiple of its stored size: mostly it is three, for one repeated character eighty. */
const COMPRESSION = 8

/** The approximate size of a column's value as text, in SQL. It is known without reading and decompressing the value. */
export function estimatedSize(column: string): RawBuilder<number> {
  const value = sql.ref(column)
  return sql`pg_column_size(${value})
    * case when pg_column_compression(${value}) is null then 1 else ${sql.lit(COMPRESSION)} end`
}

/** The size of a column's value, in SQL: as text if it has to be decompressed for it. */
export function exactSize(column: string): RawBuilder<number> {
  const value = sql.ref(column)
  return sql`case when pg_column_compression(${value}) is null then pg_column_size(${value})
    else octet_length(${value}::text) end`
}
