/** Reads the first rows of a span. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { estimatedSize, exactSize } from '../estimated-size.ts'
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

/** A column takes half a kilobyte beside its values; there are as many as values where each series has one. */
const MAX_COLUMNS = 30_000

/**
 * The rows come back by stream, with all numbers of a stream in one value in the binary format of arrays, which is read
 * several times faster than a row for each message.
 * @returns rows within the limits, in the order of their keys
 */
export async function readBatch(
  tx: Kysely<Tables>,
  span: RowSpan,
  limits: PackLimits,
): Promise<StreamRows[]> {
  const inOrder = sql`order by time, message_id`
  const maxRows = await limitRows(tx, span, limits)
  const { rows: found } = await sql<ReadRows>`
    select tenant_number, stream_number, sum(cells)::float8 as cells,
      array_send(array_agg(time ${inOrder})) as times, array_send(array_agg(message_id ${inOrder})) as message_ids,
      string_agg(array_send(coalesce(numbers, '{}')), '' ${inOrder}) as numbers,
      case when bool_or(others is not null) then string_agg(coalesce(others::text, ''), E'\n' ${inOrder}) end as others
    from (${selectFirst(span, { ...limits, rows: maxRows })}) first
    group by tenant_number, stream_number order by 1, 2 limit ${limits.streams}`.execute(tx)
  const read: StreamRows[] = []
  let columns = 0
  for (const row of found) {
    // The next batch reads the remaining streams.
    if (columns >= MAX_COLUMNS) return read
    const rows = readRows(row)
    columns += rows.columns.size
    read.push({ tenantNumber: row.tenant_number, streamNumber: row.stream_number, day: span.day, rows })
  }
  const cells = found.reduce((sum, row) => sum + row.cells, 0)
  const rows = read.reduce((sum, one) => sum + one.rows.times.length, 0)
  return cells >= limits.cells || rows >= maxRows ? dropUnfinished(read, rows) : read
}

/**
 * Selects the first rows of the span. The sizes of texts are estimated, since measuring a large one would decompress it in
 * each of the rows, of which a batch has only the first few.
 */
const selectFirst = (span: RowSpan, { rows, cells }: Pick<PackLimits, 'rows' | 'cells'>) => sql`
  select * from (
    select *, ${sumBefore('cells')} as cells_before
    from (
      select *, 1 + coalesce(cardinality(numbers), 0) + coalesce(${estimatedSize('others')}, 0) / ${BYTES_A_CELL}::int as cells
      from ${sql.table(span.partition)} where ${isInSpan(span)} order by ${rowKey} limit ${rows}
    ) estimated
  ) summed where cells_before < ${cells}`

const sumBefore = (column: string) => {
  const one = sql.ref(column)
  return sql`sum(${one}) over (order by ${rowKey} rows unbounded preceding) - ${one}`
}

/**
 * Compressed texts may be many times as large as estimated, so that those of the first rows are measured.
 * @returns the number of rows whose texts are within the limits
 */
async function limitRows(tx: Kysely<Tables>, span: RowSpan, limits: PackLimits): Promise<number> {
  const { rows: checked } = await sql<{ isCompressed: boolean | null }>`
    select bool_or(pg_column_compression(others) is not null) as "isCompressed" from (
      select others from ${sql.table(span.partition)} where ${isInSpan(span)} order by ${rowKey} limit ${limits.rows}
    ) first`.execute(tx)
  if (!checked[0]?.isCompressed) return limits.rows
  // `offset 0` makes the database measure each text once.
  const { rows: counted } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select ${sumBefore('size')} as size_before
      from (select *, coalesce(${exactSize('others')}, 0) as size from (${selectFirst(span, limits)}) first offset 0) measured
    ) summed where size_before < ${limits.cells * BYTES_A_CELL}`.execute(tx)
  return counted[0]!.count
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
