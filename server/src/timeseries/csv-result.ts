/** The historical query as CSV (RFC 4180), row by row. It has no limit: an export is complete. [contract §6] */
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { pointPages, resultName, type Signal, type TimeseriesQuery } from './query.ts'
import { mapEach, textPieces } from './text-pieces.ts'

const LINE_END = '\r\n'

export async function* csvResult(
  db: Kysely<Tables>,
  signals: Signal[],
  query: TimeseriesQuery,
): AsyncGenerator<string> {
  let before = `time,assetid,componentid,timeseries_name,value${LINE_END}`
  for (const signal of signals) {
    const { ownerId, componentId } = signal.key
    const constant = [ownerId, componentId, resultName(signal.key, query)].map(textCell).join(',')
    for await (const page of pointPages(db, signal, query)) {
      const lines = mapEach(
        page,
        ({ time, json }) => `${new Date(time).toISOString()},${constant},${cellOfJson(json)}${LINE_END}`,
      )
      for (const piece of textPieces(lines)) {
        yield before + piece
        before = ''
      }
    }
  }
  if (before) yield before
}

/** Strings without their JSON quotes; numbers, booleans, objects and arrays as they are in JSON. */
export function cellOfJson(json: string): string {
  if (json.startsWith('"')) return textCell(JSON.parse(json) as string)
  return quoted(json)
}

/** A spreadsheet takes a text that starts like a formula for one and runs it; behind an apostrophe it stays text. */
export const textCell = (text: string) => quoted(/^\s*[=+\-@\t\r\n|]/.test(text) ? `'${text}` : text)

const quoted = (text: string) => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
