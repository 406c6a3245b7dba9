/** Measures the rollups of a tenant whose samples are deleted. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { DayUsage } from './usage.ts'

/** Maximum number of streams of one statement. */
const STREAMS = 300
/** Estimated size of a row header, its fixed-length numbers, and its entries in both indexes. */
const ROW_BYTES = 120

/** The rows that begin and end on the same days. Days since 1970, UTC. */
export interface KeptDays {
  firstDay: number
  lastDay: number
  bytes: number
}

export async function listKeptDays(db: Kysely<Tables>, tenantNumber: number): Promise<KeptDays[]> {
  const found: KeptDays[] = []
  for (let after: number | null = 0; after !== null;) {
    const { rows } = await sql<{ [Name in keyof KeptDays]: number | null } & { last: number | null }>`
      with part as (
        select number from streams where tenant_number = ${tenantNumber}::int and number > ${after}::int order by number limit ${STREAMS}
      )
      select floor(date_part('epoch', first_time) / 86400)::int as "firstDay",
        floor(date_part('epoch', last_time) / 86400)::int as "lastDay", (select max(number) from part) as last,
        sum(octet_length(data) + pg_column_size(slots) + pg_column_size(ends) + ${ROW_BYTES}::int)::float8 as bytes
      from (select) one left join kept_rollups on tenant_number = ${tenantNumber}::int and stream_number in (select number from part)
      group by 1, 2`.execute(db)
    for (const { firstDay, lastDay, bytes } of rows)
      if (firstDay !== null) found.push({ firstDay, lastDay: lastDay!, bytes: bytes! })
    after = rows[0]?.last ?? null
  }
  return found
}

/** Divides the bytes of rows equally among their days. */
export function divideKept(all: KeptDays[]): DayUsage[] {
  const byDay = new Map<number, number>()
  for (const { firstDay, lastDay, bytes } of all) {
    const share = bytes / (lastDay - firstDay + 1)
    for (let day = firstDay; day <= lastDay; day++) byDay.set(day, (byDay.get(day) ?? 0) + share)
  }
  return Array.from(byDay, ([day, bytes]) => ({
    tier: 'rollups',
    day,
    values: 0,
    bytes,
    isEstimate: false,
    isKept: true,
  }))
}
