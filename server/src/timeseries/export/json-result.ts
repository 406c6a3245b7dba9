/** The result of the historical query as JSON text, piece by piece, so that only one page of it is in memory at a time. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { joinPieces } from '../query/page.ts'
import { jsonPoints } from '../query/point-format.ts'
import { formatSignalId, pointPages, type ResultItem, resultName } from '../query/query.ts'
import { RESULT_LIMIT } from '../schema.ts'

/** @param ending fields at the end of the result */
export async function* jsonResult(
  db: Kysely<Tables>,
  items: ResultItem[],
  ending: object,
): AsyncGenerator<string> {
  let opening = '{"items":['
  for (const item of items) {
    yield* writeItem(db, item, opening)
    opening = ','
  }
  yield `${items.length === 0 ? opening : ''}],${fields(ending)}}`
}

async function* writeItem(db: Kysely<Tables>, item: ResultItem, opening: string) {
  const head = { name: resultName(item), signalId: formatSignalId(item.signal.key) }
  // The opening is sent with the first page, so that a failure before that page can still be answered as an error.
  let before = `${opening}{${fields(head)},"items":[`
  const pages = pointPages(db, item, { format: jsonPoints(), limit: RESULT_LIMIT })
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
