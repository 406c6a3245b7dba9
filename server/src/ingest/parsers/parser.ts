/**
 * A parser reads one payload format. It has no side effects, and throws `UnreadableError` for a payload that it cannot
 * read. To add a format, add a file that defines a `format`, and a line in `parsers.ts`.
 * [docs/providers#payload-parsers]
 */
import type { Static, TSchema } from 'typebox'

export type Parser = (payload: Buffer) => Reading[] | ReadingInPieces

/** Yields between pieces of work on a large payload, so that its caller can let other work run. */
export type ReadingInPieces = Generator<void, Reading[]>

/** Number of records that are parsed without a pause, which takes about a millisecond. */
const RECORDS_A_PIECE = 500

/** @param index of a record @returns whether a pause follows it */
export const endsPiece = (index: number): boolean => index % RECORDS_A_PIECE === RECORDS_A_PIECE - 1

/** The values that were measured at one time. */
export interface Reading {
  /** Milliseconds since 1970; the time of arrival where absent. */
  timeMs: number | undefined
  /** How long before its arrival it was measured, negative for later; used only without `timeMs`. */
  ageMs?: number
  /** Names as in the payload; the caller checks them before they are stored. */
  names: string[]
  /** One value for each name. */
  values: unknown[]
  /**
   * One unit for each name, where the format has units. They are shown, not stored: the unit of a signal is defined by
   * its model.
   */
  units?: (string | undefined)[]
}

/** An example payload of a device. The tests of all formats read it, and derive broken payloads from it. */
export interface Example<Options = unknown> {
  payload: string | Uint8Array
  options?: Options
}

export interface Format<S extends TSchema = TSchema> {
  /** Schema of the options; unknown options are refused. */
  options: S
  example: Example<Static<S>>
  /**
   * @param path path of the options in the request, for the error
   * @throws validation_error for invalid options that the schema cannot detect
   */
  compile(options: Static<S>, path: string): Parser
}

export const format = <S extends TSchema>(definition: Format<S>): Format => definition as unknown as Format
