/** The result of the historical query as CSV (RFC 4180), page by page. It has no limit: an export is complete. [docs/telemetry#export] */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { joinPieces } from '../query/page.ts'
import { compactJson, jsonValue, type PointFormat } from '../query/point-format.ts'
import { pointPages, type ResultItem, resultName } from '../query/query.ts'
import { createTimeWriter } from '../query/time-writer.ts'

const LINE_END = '\r\n'

export async function* csvResult(db: Kysely<Tables>, items: ResultItem[]): AsyncGenerator<string> {
  let before = `time,assetid,componentid,timeseries_name,value${LINE_END}`
  for (const item of items) {
    const format = csvLines(item)
    for await (const { pieces } of pointPages(db, item, { format, limit: Infinity }))
      for (const piece of pieces) {
        yield* joinPieces(before, piece)
        before = ''
      }
  }
  if (before) yield before
}

function csvLines(item: ResultItem): PointFormat {
  const { ownerId, componentId } = item.signal.key
  const columns = [ownerId, componentId, resultName(item)].map(textCell).join(',')
  const writeTime = createTimeWriter()
  return {
    point: (timeMs, number, other) =>
      `${writeTime(timeMs)},${columns},${valueCell(number, other)}${LINE_END}`,
    separator: '',
  }
}

const quoted = (text: string) => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A spreadsheet evaluates text that starts like a formula. An apostrophe in front of it prevents this. */
const textCell = (text: string) => quoted(/^\s*[=+@\t\r\n|-]/.test(text) ? `'${text}` : text)

/** Strings are written without their JSON quotes; numbers, booleans, objects and arrays as in JSON. */
function valueCell(number: number | string | null, other: string | null): string {
  if (number !== null) return jsonValue(number, other)
  return other!.startsWith('"') ? textCell(JSON.parse(other!) as string) : quoted(compactJson(other!))
}
