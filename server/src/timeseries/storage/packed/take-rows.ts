/** Deletes rows from a partition of `sample_rows` and returns them, in the order of their key and in batches. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { DAY_MS } from '../partition-names.ts'
import { readBigInts, readDoubles } from '../read-arrays.ts'
import type { Column } from './column.ts'
import type { Day } from './day.ts'
import { epochMs, type StreamDay } from './piece-places.ts'
import type { BatchEnd, RowSpan } from './row-key.ts'

/** The order in which rows are packed. */
export const rowKey = sql`tenant_number, stream_number, time, message_id`

/** SQL condition for the rows of a span. */
export const isInSpan = ({ from, to, after }: RowSpan) =>
  sql`time >= ${from}::timestamptz and time < ${to}::timestamptz ${after ? sql`and not ${isUpTo(after)}` : sql``}`

const isUpTo = ({ key, isIncluded }: BatchEnd) =>
  sql`(${rowKey}) ${sql.raw(isIncluded ? '<=' : '<')} (${key.tenantNumber}::int, ${key.streamNumber}::int,
    ${new Date(key.timeMs).toISOString()}::timestamptz, ${`${key.messageId}`}::bigint)`

export interface TakenRows extends StreamDay {
  rows: Day
}

interface TakenRow {
  tenant_number: number
  stream_number: number
  day: number
  times: Buffer
  message_ids: Buffer
  numbers: Buffer
  others: (string | null)[] | null
}

/** Deletes the rows of the span up to the end. @returns their content by stream and day */
export async function takeRows(tx: Kysely<Tables>, span: RowSpan, end: BatchEnd): Promise<TakenRows[]> {
  // The binary format of arrays is read several times faster than their text.
  const { rows } = await sql<TakenRow>`
    with gone as (
      delete from ${sql.table(span.partition)} where ${isInSpan(span)} and ${isUpTo(end)} returning *
    )
    select tenant_number, stream_number, day, array_send(array_agg(ms order by ms, message_id)) as times,
      array_send(array_agg(message_id order by ms, message_id)) as message_ids,
      string_agg(array_send(coalesce(numbers, '{}')), '' order by ms, message_id) as numbers,
      case when bool_or(others is not null) then array_to_json(array_agg(others::text order by ms, message_id)) end as others
    from (select *, floor(ms / ${DAY_MS}::int)::int as day from (select *, ${epochMs('time')} as ms from gone) timed) dated
    group by tenant_number, stream_number, day order by 1, 2, 3`.execute(tx)
  return rows.map((row) => ({
    tenantNumber: row.tenant_number,
    streamNumber: row.stream_number,
    day: row.day,
    rows: readRows(row),
  }))
}

function readRows({ times, message_ids: messageIds, numbers, others }: TakenRow): Day {
  const days = { times: readDoubles(times), messageIds: readBigInts(messageIds) }
  const columns = createColumns()
  let at = 0
  for (let row = 0; row < days.times.length; row++) at = readNumbers(columns, numbers, at, row)
  others?.forEach((text, row) => text !== null && readOthers(columns, text, row))
  return { ...days, columns: finishColumns(columns) }
}

/** Sizes of an array header: dimensions, flags, element type, then length and lower bound of each dimension. */
const HEAD_BYTES = 20
const EMPTY_HEAD_BYTES = 12

interface GrowingColumn {
  numberRows: number[]
  numbers: number[]
  otherRows: number[]
  others: string[]
}

type GrowingColumns = (slot: number) => GrowingColumn

function createColumns(): GrowingColumns & { bySlot: GrowingColumn[] } {
  const bySlot: GrowingColumn[] = []
  const find = (slot: number) => (bySlot[slot] ??= { numberRows: [], numbers: [], otherRows: [], others: [] })
  return Object.assign(find, { bySlot })
}

/** @returns the offset after the array of the row */
function readNumbers(columns: GrowingColumns, bytes: Buffer, start: number, row: number): number {
  if (bytes.readInt32BE(start) === 0) return start + EMPTY_HEAD_BYTES
  const length = bytes.readInt32BE(start + 12)
  const firstSlot = bytes.readInt32BE(start + 16)
  let at = start + HEAD_BYTES
  for (let index = 0; index < length; index++) {
    const size = bytes.readInt32BE(at)
    at += 4
    if (size < 0) continue
    const column = columns(firstSlot + index)
    column.numberRows.push(row)
    column.numbers.push(bytes.readDoubleBE(at))
    at += size
  }
  return at
}

function readOthers(columns: GrowingColumns, text: string, row: number): void {
  for (const [slot, value] of Object.entries(JSON.parse(text) as Record<string, unknown>)) {
    const column = columns(Number(slot))
    column.otherRows.push(row)
    column.others.push(JSON.stringify(value))
  }
}

function finishColumns({ bySlot }: { bySlot: GrowingColumn[] }): Map<number, Column> {
  const columns = new Map<number, Column>()
  bySlot.forEach(({ numberRows, numbers, otherRows, others }, slot) =>
    columns.set(slot, {
      numberRows: Uint32Array.from(numberRows),
      numbers: Float64Array.from(numbers),
      otherRows: Uint32Array.from(otherRows),
      others,
    }),
  )
  return columns
}
