/** The result of the historical query as JSON text, piece by piece, so that only one page of it is in memory at a time. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { joinPieces } from '../query/page.ts'
import { jsonPoints } from '../query/point-format.ts'
import {
  pointPages,
  RESULT_LIMIT,
  resultName,
  type Signal,
  formatSignalId,
  type TimeseriesQuery,
} from '../query/query.ts'

/**
 * @param intervalText the interval as the caller wrote it; empty if there is none
 * @param more fields at the end of the result
 */
export async function* jsonResult(
  db: Kysely<Tables>,
  signals: Signal[],
  query: TimeseriesQuery,
  { intervalText, more }: { intervalText: string; more: object },
): AsyncGenerator<string> {
  let opening = '{"items":['
  for (const signal of signals) {
    yield* jsonOfSignal(db, signal, query, opening)
    opening = ','
  }
  const { type = '' } = query.aggregation ?? {}
  yield `],${fields({ aggregation: type, time_bucket: intervalText, ...more })}}`
}

async function* jsonOfSignal(db: Kysely<Tables>, signal: Signal, query: TimeseriesQuery, opening: string) {
  const head = { name: resultName(signal.key, query), signalId: formatSignalId(signal.key) }
  // The opening is sent with the first page, so that a failure before that page can still be answered as an error.
  let before = `${opening}{${fields(head)},"items":[`
  const pages = pointPages(db, signal, query, { format: jsonPoints, limit: RESULT_LIMIT })
  let page = await pages.next()
  for (; !page.done; page = await pages.next()) {
    for (const piece of page.value.pieces) {
      yield* joinPieces(before, piece)
      before = ','
    }
  }
  const reached = page.value ? { resultLimit: RESULT_LIMIT } : null
  yield `${before === ',' ? '' : before}],${fields({ queryResultLimitReached: reached })}}`
}

const fields = (object: object) => JSON.stringify(object).slice(1, -1)
