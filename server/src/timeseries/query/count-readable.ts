import { type Kysely, sql } from 'kysely'
import { executePrepared } from '../../database/execute-prepared.ts'
import type { Tables } from '../../database/tables.ts'
import { estimatedSize } from '../storage/estimated-size.ts'
import type { SamplePlace } from '../storage/packed/sample-place.ts'
import { type Selection, timestamp } from './selection.ts'

/** The rows that are looked at before a page is read. */
const FIRST_ROWS = 200
/** Maximum estimated size of the objects that are decompressed for one page. */
const OBJECT_BYTES = 32 * 1024 * 1024
const MIN_ROWS = 10

/**
 * Samples that are not numbers are found in the objects of their rows. Objects may be so large that a full page of them
 * exceeds the time of a statement, though only the first few fit on the page.
 * @returns how many samples to read at most, by the size of the first rows
 */
export async function countReadable(
  tx: Kysely<Tables>,
  { series, from, to }: Selection,
  { after, size }: { after?: SamplePlace | undefined; size: number },
): Promise<number> {
  if (size <= MIN_ROWS) return size
  const { tenantNumber, streamNumber, slot } = series
  const isBehind =
    after && sql`and (time, message_id) > (${timestamp(after.timeMs)}, ${`${after.messageId}`}::bigint)`
  const statement = sql<{ bytes: number | null }>`
    select avg(${estimatedSize('others')}) filter (where numbers[${slot}::int] is null)::float8 as bytes
    from (
      select numbers, others from sample_rows
      where tenant_number = ${tenantNumber}::int and stream_number = ${streamNumber}::int
        and time >= ${timestamp(from)} and time < ${timestamp(to)} ${isBehind ?? sql``}
      order by time, message_id limit ${sql.lit(FIRST_ROWS)}
    ) first`
  const { rows } = await executePrepared(tx, `readable-rows${after ? ', continued' : ''}`, statement)
  const bytes = rows[0]!.bytes
  return bytes === null ? size : Math.min(size, Math.max(MIN_ROWS, Math.floor(OBJECT_BYTES / bytes)))
}
