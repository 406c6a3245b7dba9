/**
 * A parser reads one payload format. It is a pure function, and throws `UnreadableError` for a payload that it cannot
 * read. A new format is one more file with a `format` in it. [docs/providers#payload-parsers]
 */
import type { Static, TSchema } from 'typebox'

export type Parser = (payload: Buffer) => Reading[]

/** What was measured at one time. */
export interface Reading {
  /** Milliseconds since 1970; the time of arrival where absent. */
  timeMs: number | undefined
  /** How long before its arrival it was measured, negative for later; only without `timeMs`. */
  ageMs?: number
  /** As the payload has them; they are checked by whoever stores them. */
  names: string[]
  /** One a name. */
  values: unknown[]
  /** One a name, where the format tells units. They are shown, not stored: a signal's unit is its model's to say. */
  units?: (string | undefined)[]
}

export interface Format<S extends TSchema = TSchema> {
  /** Strict: an option that nobody knows is a mistake. */
  options: S
  /**
   * @param path of the options in the request, for the error
   * @throws validation_error for options that the schema cannot tell to be wrong
   */
  compile(options: Static<S>, path: string): Parser
}

export const format = <S extends TSchema>(definition: Format<S>): Format => definition as unknown as Format
