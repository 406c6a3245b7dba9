import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../../../database/tables.ts'
import type { RowTables } from '../row-tables.ts'
import type { SampleRow } from '../sample-row.ts'
import { listFormerPartitions } from './former-partitions.ts'

const CHECK_EACH_MS = 30_000

/** Whether samples of earlier versions are still to be moved. There will be no more of them. */
export async function hasFormerSamples(
  pool: pg.Pool,
  tables: RowTables,
  nowMs = Date.now(),
): Promise<boolean> {
  const { former } = tables
  if (former.exist && nowMs >= former.checkAtMs) {
    former.exist = (await listFormerPartitions(pool)).length > 0
    former.checkAtMs = nowMs + CHECK_EACH_MS
  }
  return former.exist
}

/**
 * Finds rows of messages that an earlier version stored.
 * @param windowMs how far the time of the stored message may be from that of the row
 */
export async function findFormerRows<Row extends SampleRow>(
  db: Kysely<Tables>,
  rows: Row[],
  windowMs: (row: Row) => number,
): Promise<Set<Row>> {
  const known = rows.filter(({ slots }) => slots.length > 0)
  const { rows: found } = await sql<{ place: number }>`
    with doubtful as materialized (
      select * from unnest(
        ${known.map((row) => row.tenantNumber)}::int[], ${known.map((row) => row.streamNumber)}::int[],
        ${known.map(({ slots }) => slots[0])}::int[], ${known.map(({ messageId }) => `${messageId}`)}::bigint[],
        ${known.map((row) => new Date(row.timeMs - windowMs(row)))}::timestamptz[],
        ${known.map((row) => new Date(row.timeMs + windowMs(row)))}::timestamptz[]
      ) with ordinality as d (tenant_number, stream_number, slot, message_id, since, until, place)
    )
    select place::int from doubtful d join series s using (stream_number, slot)
    where exists (select from samples x where x.tenant_number = d.tenant_number and x.series_number = s.number
        and x.time between d.since and d.until and x.message_id = d.message_id)
      or exists (select from samples_other x where x.tenant_number = d.tenant_number and x.series_number = s.number
        and x.time between d.since and d.until and x.message_id = d.message_id)`.execute(db)
  return new Set(found.map(({ place }) => known[place - 1]!))
}
