/** Streams the answer of a bulk add in chunks: serializing ten thousand errors at once would block the event loop. */
import { Readable } from 'node:stream'
import type { Static } from 'typebox'
import { createTurns } from '../../../lib/take-turns.ts'
import type { BulkResult } from '../schema.ts'

const ERRORS_PER_CHUNK = 500

/** Shared by all answers, so that several at once block the event loop no longer than one. */
const nextTurn = createTurns()

export const streamBulkResult = (result: Static<typeof BulkResult>): Readable =>
  Readable.from(writeChunks(result))

async function* writeChunks({ added, skipped, errors }: Static<typeof BulkResult>): AsyncGenerator<string> {
  yield `{"added":${added},"skipped":${skipped},"errors":[`
  for (let from = 0; from < errors.length; from += ERRORS_PER_CHUNK) {
    await nextTurn()
    const some = errors.slice(from, from + ERRORS_PER_CHUNK)
    yield `${from > 0 ? ',' : ''}${JSON.stringify(some).slice(1, -1)}`
  }
  yield ']}'
}
