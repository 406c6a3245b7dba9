/** Reads the first rows of a span. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { estimatedSize } from '../estimated-size.ts'
import { readBigInts, readTimes } from '../read-arrays.ts'
import type { UnpackedRows } from './unpacked-rows.ts'
import { decodeColumns } from './decode-columns.ts'
import type { StreamDay } from './piece-places.ts'
import { BYTES_A_CELL, isInSpan, type PackLimits, rowKey, type RowSpan } from './row-key.ts'

/** Rows of one stream and day. */
export interface StreamRows extends StreamDay {
  rows: UnpackedRows
}

interface ReadRows {
  tenant_number: number
  stream_number: number
  cells: number
  times: Buffer
  message_ids: Buffer
  numbers: Buffer
  others: string | null
}

/**
 * The rows come back by stream, with all numbers of a stream in one value in the binary format of arrays, which is read
 * several times faster than a row for each message. Their sizes are estimated, since measuring a large text would
 * decompress it in each of the rows, of which a batch has only the first few.
 * @returns rows within the limits, in the order of their keys
 */
export async function readBatch(
  tx: Kysely<Tables>,
  span: RowSpan,
  limits: PackLimits,
): Promise<StreamRows[]> {
  const inOrder = sql`order by time, message_id`
  const { rows: found } = await sql<ReadRows>`
    select tenant_number, stream_number, sum(cells)::float8 as cells,
      array_send(array_agg(time ${inOrder})) as times, array_send(array_agg(message_id ${inOrder})) as message_ids,
      string_agg(array_send(coalesce(numbers, '{}')), '' ${inOrder}) as numbers,
      case when bool_or(others is not null) then string_agg(coalesce(others::text, ''), E'\n' ${inOrder}) end as others
    from (
      select *, sum(cells) over (order by ${rowKey} rows unbounded preceding) - cells as cells_before
      from (
        select *, 1 + coalesce(cardinality(numbers), 0) + coalesce(${estimatedSize('others')}, 0) / ${BYTES_A_CELL}::int as cells
        from ${sql.table(span.partition)} where ${isInSpan(span)} order by ${rowKey} limit ${limits.rows}
      ) measured
    ) summed where cells_before < ${limits.cells}
    group by tenant_number, stream_number order by 1, 2 limit ${limits.streams}`.execute(tx)
  const read = found.map((row) => ({
    tenantNumber: row.tenant_number,
    streamNumber: row.stream_number,
    day: span.day,
    rows: readRows(row),
  }))
  const cells = found.reduce((sum, row) => sum + row.cells, 0)
  const rows = read.reduce((sum, one) => sum + one.rows.times.length, 0)
  return cells >= limits.cells || rows >= limits.rows ? dropUnfinished(read, rows) : read
}

function readRows({ times, message_ids: messageIds, numbers, others }: ReadRows): UnpackedRows {
  const timesMs = readTimes(times)
  return {
    times: timesMs,
    messageIds: readBigInts(messageIds),
    columns: decodeColumns({ rowCount: timesMs.length, numbers, others }),
  }
}

/**
 * The last stream may have further rows, and its piece would be packed twice. It is left to the next batch unless it is
 * most of this one.
 */
function dropUnfinished(read: StreamRows[], rows: number): StreamRows[] {
  const last = read.at(-1)!.rows.times.length
  return last > rows / 2 ? read : read.slice(0, -1)
}
