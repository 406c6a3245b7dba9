/** Runs a parser on one payload and returns its samples in a short form. */
import { finishReading } from '../../src/ingest/read-payload.ts'
import { UnreadableError } from '../../src/ingest/unreadable.ts'
import { createParsers } from '../../src/ingest/parsers/parsers.ts'

type Value = [name: string, value: unknown, time?: string, unit?: string]

/** Times are ISO 8601, or as `-5 s` for seconds before or after arrival; samples with the time of arrival have none. */
export const createParse = (name: string, options?: object) => {
  const parse = createParsers().of({ name, options }, '')
  return (payload: string | Uint8Array): Value[] =>
    finishReading(parse(Buffer.from(payload as string))).flatMap(({ timeMs, ageMs, names, values, units }) =>
      names.map((signal, index): Value => {
        const time = timeMs === undefined ? ageMs && `${-ageMs / 1000} s` : new Date(timeMs).toISOString()
        const unit = units?.[index]
        return unit
          ? [signal, values[index], time || undefined, unit]
          : time
            ? [signal, values[index], time]
            : [signal, values[index]]
      }),
    )
}

/** @returns reason and message of the refusal */
export function catchRefusal(parse: () => unknown): { reason: string; message: string } {
  try {
    parse()
  } catch (error) {
    if (error instanceof UnreadableError) return { reason: error.reason, message: error.message }
    throw error
  }
  throw new Error('the payload was readable')
}
