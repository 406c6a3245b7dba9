/** Measures the packed data of a tenant by day. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'

export interface PackedDayUsage {
  /** Days since 1970, UTC. */
  day: number
  pieces: number
  values: number
  /** Includes index entries. */
  bytes: number
  /** Changes whenever a piece of the day is written or deleted. */
  writers: bigint
}

/** Maximum number of streams of one statement: a stream has one or a few pieces for each day. */
const STREAMS = 300
/** Estimated size of a row header, its fixed-length numbers, and its entries in both indexes. */
const ROW_BYTES = 150

export async function listPackedDays(
  db: Kysely<Tables>,
  tenantNumber: number,
): Promise<Map<number, PackedDayUsage>> {
  const days = new Map<number, PackedDayUsage>()
  const streams = await db
    .selectFrom('streams')
    .select('number')
    .where('tenant_number', '=', tenantNumber)
    .execute()
  for (let start = 0; start < streams.length; start += STREAMS) {
    const part = streams.slice(start, start + STREAMS).map(({ number }) => number)
    for (const one of await readDays(db, tenantNumber, part))
      days.set(one.day, addDay(days.get(one.day), one))
  }
  return days
}

const addDay = (known: PackedDayUsage | undefined, one: PackedDayUsage): PackedDayUsage =>
  known
    ? {
        day: one.day,
        pieces: known.pieces + one.pieces,
        values: known.values + one.values,
        bytes: known.bytes + one.bytes,
        writers: known.writers + one.writers,
      }
    : one

/**
 * Uses the transaction ids as versions: a piece is never changed in place, and a new one has the id of another
 * transaction.
 */
async function readDays(
  db: Kysely<Tables>,
  tenantNumber: number,
  streamNumbers: number[],
): Promise<PackedDayUsage[]> {
  const { rows } = await sql<Omit<PackedDayUsage, 'writers'> & { writers: string }>`
    select floor(date_part('epoch', first_time) / 86400)::int as day, count(*)::int as pieces,
      sum(value_count)::float8 as values, sum(xmin::text::bigint)::text as writers,
      sum(octet_length(data) + pg_column_size(sections) + pg_column_size(ends) + pg_column_size(last_times)
        + pg_column_size(last_messages) + pg_column_size(last_numbers) + coalesce(pg_column_size(last_others), 0)
        + coalesce(octet_length(rollups) + pg_column_size(rollup_ends), 0)
        + ${ROW_BYTES}::int)::float8 as bytes
    from packed_rows where tenant_number = ${tenantNumber}::int and stream_number = any(${streamNumbers}::int[])
    group by 1`.execute(db)
  return rows.map((row) => ({ ...row, writers: BigInt(row.writers) }))
}
