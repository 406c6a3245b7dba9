import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { encodeRows } from './encode-rows.ts'
import type { RowTables } from './row-tables.ts'
import type { SampleRow } from './sample-row.ts'

/**
 * Adds rows, each of which must be there once, and to rows that exist the values of slots that have none there. A row that
 * gets nothing new is not written.
 */
export async function mergeRows(
  tx: Kysely<Tables>,
  { rowType }: RowTables,
  rows: SampleRow[],
): Promise<void> {
  if (rows.length === 0) return
  if (rowType === undefined) throw new Error('partitions must be ensured before rows are merged')
  const missingNumber = sql`coalesce(sample_rows.numbers[slot], case when sample_rows.others ? slot::text then null
    else excluded.numbers[slot] end)`
  const missingOthers = sql`(select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(excluded.others)
    where sample_rows.numbers[key::int] is null and not coalesce(sample_rows.others, '{}') ? key)`
  await sql`
    insert into sample_rows select * from unnest(${encodeRows(rows, rowType)}::sample_rows[])
    on conflict (tenant_number, stream_number, time, message_id) do update set
      numbers = coalesce(
        (select array_agg(${missingNumber} order by slot)
          from generate_series(1, greatest(array_upper(sample_rows.numbers, 1), array_upper(excluded.numbers, 1))) as slot),
        sample_rows.numbers),
      others = nullif(coalesce(sample_rows.others, '{}') || ${missingOthers}, '{}')
    where ${missingOthers} <> '{}' or exists (
      select from generate_series(1, array_upper(excluded.numbers, 1)) as slot
      where sample_rows.numbers[slot] is null and ${missingNumber} is not null)`.execute(tx)
}
