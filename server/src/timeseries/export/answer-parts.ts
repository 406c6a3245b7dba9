/** Answers with the parts of a result while they are read, or at once if they are few. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { nextQueryTurn } from '../query/query-turns.ts'

/** A caller that reads nothing for this long is disconnected: its answer counts among the open queries of its tenant. */
const STALL_MS = 120_000

/** Each part that is sent alone costs a turn of the event loop and a write. */
const SENT_AT_ONCE = 64 * 1024

type Part = string | Buffer

/**
 * Each part is read only after the previous one was sent, so that a slow caller leaves no part waiting in memory. A
 * failure before the first one is sent is answered as an error.
 * @param end is called when no more parts are read
 */
export async function answerParts(
  parts: AsyncGenerator<Part>,
  end: () => void,
  { raw }: FastifyReply,
): Promise<string | Readable> {
  try {
    const { first, isLast } = await readFirst(parts)
    if (isLast) {
      end()
      return first
    }
    const readable = Readable.from(startingWith(first, parts), { highWaterMark: 0 })
    readable.once('close', end)
    raw.setTimeout(STALL_MS, () => raw.destroy())
    return readable
  } catch (error) {
    end()
    throw error
  }
}

type First = { first: string; isLast: true } | { first: Part; isLast: false }

async function readFirst(parts: AsyncGenerator<Part>): Promise<First> {
  let text = ''
  for (;;) {
    const next = await parts.next()
    if (next.done) return { first: text, isLast: true }
    if (typeof next.value !== 'string') return { first: next.value, isLast: false }
    text += next.value
    if (text.length > SENT_AT_ONCE) return { first: text, isLast: false }
  }
}

async function* startingWith(first: Part, rest: AsyncGenerator<Part>) {
  yield first
  for (;;) {
    await nextQueryTurn()
    const next = await rest.next()
    if (next.done) return
    yield next.value
  }
}
