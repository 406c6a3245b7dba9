/** Measures the packed data of a tenant by day. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'

export interface PackedDayUsage {
  /** Days since 1970, UTC. */
  day: number
  values: number
  /** Without rollups, with index entries. Those of a piece are divided among its days by their values. */
  bytes: number
  /** The bytes of the rollups, divided in the same way. */
  rollupBytes: number
  /** Changes with the samples of the day, and not when they are packed again. */
  fingerprint: bigint
}

/** Maximum number of streams of one statement: a stream has up to a few pieces for each day. */
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
        values: known.values + one.values,
        bytes: known.bytes + one.bytes,
        rollupBytes: known.rollupBytes + one.rollupBytes,
        fingerprint: known.fingerprint + one.fingerprint,
      }
    : one

/** SQL that adds the days of a piece: the number of values of each `day`, and their share of all values of the piece. */
export const joinPieceDays = sql`cross join lateral (
  select floor(date_part('epoch', first_time) / 86400)::int + place::int - 1 as day, amount,
    case when value_count > 0 then amount::float8 / value_count else 1.0 / coalesce(cardinality(day_values), 1) end as share
  from unnest(coalesce(day_values::int[], array[value_count])) with ordinality as counted (amount, place)
  where amount > 0 or value_count = 0
) piece_day`

/**
 * The fingerprint is a sum of the values, each weighted by its stream: stored values do not change, so that only their
 * number does.
 */
async function readDays(
  db: Kysely<Tables>,
  tenantNumber: number,
  streamNumbers: number[],
): Promise<PackedDayUsage[]> {
  const { rows } = await sql<Omit<PackedDayUsage, 'fingerprint'> & { fingerprint: string }>`
    select day, sum(amount)::float8 as values,
      sum(amount * hashint8extended(stream_number, 0)::numeric)::text as fingerprint,
      sum(share * (octet_length(data) + pg_column_size(sections) + pg_column_size(ends) + pg_column_size(last_times)
        + pg_column_size(last_messages) + pg_column_size(last_numbers) + coalesce(pg_column_size(last_others), 0)
        + coalesce(pg_column_size(day_values), 0) + ${ROW_BYTES}::int))::float8 as bytes,
      sum(share * coalesce(octet_length(rollups) + pg_column_size(rollup_ends), 0))::float8 as "rollupBytes"
    from packed_rows ${joinPieceDays} where tenant_number = ${tenantNumber}::int and stream_number = any(${streamNumbers}::int[])
    group by 1`.execute(db)
  return rows.map((row) => ({ ...row, fingerprint: BigInt(row.fingerprint) }))
}
