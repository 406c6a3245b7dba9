import { type Kysely, sql } from 'kysely'
import { executePrepared } from '../../../database/execute-prepared.ts'
import type { Tables } from '../../../database/tables.ts'
import type { Series } from '../series.ts'
import { isOfSeries, type SeriesPiece, toDate } from './choose-pieces.ts'
import { type Column, unpackColumn } from './column.ts'
import { unpackMessageIds } from './unpacked-rows.ts'
import { section } from './section.ts'
import { unpackTimes } from './times.ts'

/** Samples of one series, in the order of time and message. */
export interface SeriesColumn {
  /** Milliseconds since 1970; one for each row, also for rows without a sample of the series. */
  times: Float64Array
  /** Undefined if they were not requested. */
  messageIds?: BigInt64Array
  column: Column
}

interface PackedColumn {
  row_count: number
  times: Buffer
  message_ids: Buffer | null
  values: Buffer
}

/** Limits of one statement. */
const ROWS = 50_000
const PIECES = 200

/** Yields pieces in order. Call it in a transaction with one snapshot. */
export async function* readPieces(
  tx: Kysely<Tables>,
  series: Series,
  pieces: SeriesPiece[],
  { hasMessages }: { hasMessages: boolean },
): AsyncGenerator<SeriesColumn> {
  const messages = hasMessages ? section(sql`2`) : sql`null::bytea`
  const name = hasMessages ? 'columns-and-messages-of-pieces' : 'columns-of-pieces'
  for (const part of splitPieces(pieces)) {
    const statement = sql<PackedColumn>`
      select row_count, ${section(sql`1`)} as times, ${messages} as message_ids, ${section(sql`index`)} as values
      from (
        select *, array_position(sections, ${series.slot}::int) as index from packed_rows
        where ${isOfSeries(series)} and (first_time, first_message) >= (${placeOf(part[0]!)})
          and (first_time, first_message) <= (${placeOf(part.at(-1)!)})
      ) piece order by first_time, first_message`
    const { rows } = await executePrepared(tx, name, statement)
    for (const row of rows) yield unpackSeries(row)
  }
}

const placeOf = ({ first_ms: firstMs, first_message: firstMessage }: SeriesPiece) =>
  sql`${toDate(firstMs)}, ${firstMessage}::bigint`

export const unpackSeries = ({
  row_count: rowCount,
  times,
  message_ids: messageIds,
  values,
}: PackedColumn): SeriesColumn => ({
  times: unpackTimes(times, rowCount),
  ...(messageIds && { messageIds: unpackMessageIds(messageIds) }),
  column: unpackColumn(values, rowCount),
})

function* splitPieces(pieces: SeriesPiece[]): Generator<SeriesPiece[]> {
  let part: SeriesPiece[] = []
  let rows = 0
  for (const piece of pieces) {
    part.push(piece)
    rows += piece.row_count
    if (rows < ROWS && part.length < PIECES) continue
    yield part
    part = []
    rows = 0
  }
  if (part.length > 0) yield part
}
