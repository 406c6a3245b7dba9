/** The result of the historical query as CSV (RFC 4180), page by page. It has no limit: an export is complete. [docs/telemetry#export] */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { joinPieces } from '../query/page.ts'
import { isoTime, jsonValue, type PointFormat } from '../query/point-format.ts'
import { pointPages, resultName, type Signal, type TimeseriesQuery } from '../query/query.ts'

const LINE_END = '\r\n'

export async function* csvResult(
  db: Kysely<Tables>,
  signals: Signal[],
  query: TimeseriesQuery,
): AsyncGenerator<string> {
  let before = `time,assetid,componentid,timeseries_name,value${LINE_END}`
  for (const signal of signals) {
    const format = csvLines(signal, query)
    for await (const { pieces } of pointPages(db, signal, query, { format, limit: Infinity }))
      for (const piece of pieces) {
        yield* joinPieces(before, piece)
        before = ''
      }
  }
  if (before) yield before
}

function csvLines({ key }: Signal, query: TimeseriesQuery): PointFormat {
  const columns = [key.ownerId, key.componentId, resultName(key, query)].map((text) =>
    textCell(sql`${text}::text`),
  )
  return {
    point: sql`concat_ws(',', ${isoTime}, ${sql.join(columns)}, ${valueCell}) || ${LINE_END}`,
    separator: '',
  }
}

/** White space as JavaScript defines it. PostgreSQL's own definition depends on the locale of the database. */
const space = String.raw`\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`
const formula = `^[${space}]*[=+@\\t\\r\\n|-]`
const needsQuotes = `[",\\r\\n]|^[${space}]|[${space}]$`

/** `offset 0` keeps the planner from repeating the text, which may be a megabyte long, at each use of `cell`. */
const withCell = (text: RawBuilder<unknown>, result: RawBuilder<unknown>) =>
  sql`(select ${result} from (select ${text} as cell offset 0) text)`

const quoted = (text: RawBuilder<unknown>) =>
  withCell(
    text,
    sql`case when cell ~ ${needsQuotes} then concat('"', replace(cell, '"', '""'), '"') else cell end`,
  )

/** A spreadsheet evaluates text that starts like a formula. An apostrophe in front of it prevents this. */
const textCell = (text: RawBuilder<unknown>) =>
  quoted(withCell(text, sql`case when cell ~ ${formula} then concat('''', cell) else cell end`))

/** Strings are written without their JSON quotes; numbers, booleans, objects and arrays as in JSON. */
const valueCell = sql`case when other is null then ${jsonValue}
  when jsonb_typeof(other) = 'string' then ${textCell(sql`other #>> '{}'`)}
  else ${quoted(sql`other::text`)} end`
