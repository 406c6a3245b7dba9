/**
 * A parser reads one payload format. It is a pure function, and throws `UnreadableError` for a payload that it cannot
 * read. A new format is one more function of this type. [contract §4, Payload parsers]
 */
export type Parser = (payload: Buffer) => Reading[]

/** What was measured at one time. */
export interface Reading {
  /** Milliseconds since 1970; the time of arrival where absent. */
  timeMs: number | undefined
  /** Signal name and value, as the payload has them; they are checked by whoever stores them. */
  signals: [name: string, value: unknown][]
}
