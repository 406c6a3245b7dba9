/** The answer of a bulk add in pieces: ten thousand errors written at once would hold the event loop. */
import { Readable } from 'node:stream'
import type { Static } from 'typebox'
import { createTurns } from '../../../lib/take-turns.ts'
import type { BulkResult } from '../schema.ts'

const ERRORS_A_PIECE = 500

/** Shared by all answers. */
const nextTurn = createTurns()

export const bulkAnswer = (result: Static<typeof BulkResult>): Readable => Readable.from(pieces(result))

async function* pieces({ added, skipped, errors }: Static<typeof BulkResult>): AsyncGenerator<string> {
  yield `{"added":${added},"skipped":${skipped},"errors":[`
  for (let from = 0; from < errors.length; from += ERRORS_A_PIECE) {
    await nextTurn()
    const some = errors.slice(from, from + ERRORS_A_PIECE)
    yield `${from > 0 ? ',' : ''}${JSON.stringify(some).slice(1, -1)}`
  }
  yield ']}'
}
