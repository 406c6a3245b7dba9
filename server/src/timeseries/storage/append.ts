/** Inserts rows, any number of them with one statement. Duplicates are left out. [docs/telemetry#repeats] */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { encodeRows } from './encode-rows.ts'
import { findPackedRows } from './packed/find-packed.ts'
import type { RowTables } from './row-tables.ts'
import type { SampleRow } from './sample-row.ts'

/**
 * Stores rows none of which is stored yet and none of which is late (see `hasLateRows`). Outside a transaction, the statement commits them.
 * @throws if one of the rows is stored already (see `isRepeated`); then nothing is stored
 */
export async function appendNewRows(db: Kysely<Tables>, tables: RowTables, rows: SampleRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`insert into sample_rows select * from unnest(${encode(tables, rows)}::sample_rows[])`.execute(db)
}

const UNIQUE_VIOLATION = '23505'
export const isRepeated = (error: unknown): boolean => (error as { code?: string }).code === UNIQUE_VIOLATION

/**
 * Every row needs a partition: see `ensurePartitions`.
 * @returns the rows that were stored; the others were in the database already or twice among the rows
 */
export async function appendRows<Row extends SampleRow>(
  tx: Kysely<Tables>,
  tables: RowTables,
  rows: Row[],
): Promise<Set<Row>> {
  if (rows.length === 0) return new Set()
  const ordered = orderRows(rows)
  const { rows: repeats } = await sql<{ place: number }>`
    with batch as materialized (
      select * from unnest(${encode(tables, ordered)}::sample_rows[]) with ordinality
        as row (tenant_number, stream_number, time, message_id, numbers, others, place)
    ), inserted as (
      insert into sample_rows (tenant_number, stream_number, time, message_id, numbers, others)
      select tenant_number, stream_number, time, message_id, numbers, others from batch order by place
      on conflict do nothing
      returning tenant_number, stream_number, time, message_id
    )
    select place::int from batch where not exists (
      select from inserted where (inserted.tenant_number, inserted.stream_number, inserted.time, inserted.message_id)
        = (batch.tenant_number, batch.stream_number, batch.time, batch.message_id))`.execute(tx)
  const stored = new Set(ordered)
  for (const { place } of repeats) stored.delete(ordered[place - 1]!)
  return dropPacked(tx, stored)
}

/** Deletes the inserted rows whose messages are packed already. */
async function dropPacked<Row extends SampleRow>(tx: Kysely<Tables>, stored: Set<Row>): Promise<Set<Row>> {
  const packed = await findPackedRows(tx, stored)
  if (packed.size === 0) return stored
  const rows = [...packed]
  await sql`
    delete from sample_rows r using unnest(${rows.map((row) => row.tenantNumber)}::int[], ${rows.map((row) => row.streamNumber)}::int[],
      ${rows.map(({ timeMs }) => new Date(timeMs).toISOString())}::timestamptz[], ${rows.map(({ messageId }) => `${messageId}`)}::bigint[])
      as packed (tenant_number, stream_number, time, message_id)
    where (r.tenant_number, r.stream_number, r.time, r.message_id)
      = (packed.tenant_number, packed.stream_number, packed.time, packed.message_id)`.execute(tx)
  for (const row of packed) stored.delete(row)
  return stored
}

/** Each row once, sorted to avoid a deadlock between two batches with the same rows. */
export const orderRows = <Row extends SampleRow>(rows: Row[]): Row[] =>
  [...new Map(rows.toReversed().map((row) => [rowKey(row), row])).values()].toSorted(inKeyOrder)

const encode = ({ rowType }: RowTables, rows: SampleRow[]): Buffer => {
  if (rowType === undefined) throw new Error('partitions must be ensured before rows are appended')
  return encodeRows(rows, rowType)
}

const rowKey = ({ streamNumber, timeMs, messageId }: SampleRow) => `${streamNumber} ${timeMs} ${messageId}`

const inKeyOrder = (a: SampleRow, b: SampleRow) =>
  a.tenantNumber - b.tenantNumber ||
  a.streamNumber - b.streamNumber ||
  a.timeMs - b.timeMs ||
  (a.messageId < b.messageId ? -1 : Number(a.messageId > b.messageId))
