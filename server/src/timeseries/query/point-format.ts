/** The formats of a point in an answer. */
import { createTimeWriter } from './time-writer.ts'

export interface PointFormat {
  /**
   * @param number a text may exceed the largest double; NaN and infinity become null
   * @param other JSON text of a value that is not a number
   */
  point(timeMs: number, number: number | string | null, other: string | null): string
  /** The text between two points. */
  separator: string
}

/** The value as JSON, which cannot express NaN and infinity. */
export const jsonValue = (number: number | string | null, other: string | null): string =>
  number === null ? compactJson(other!) : (finiteNumber(number) ?? 'null')

function finiteNumber(number: number | string): string | undefined {
  if (typeof number === 'string') return notFinite.has(number) ? undefined : number
  if (!Number.isFinite(number)) return undefined
  return Object.is(number, -0) ? '-0' : String(number)
}

const notFinite = new Set(['NaN', 'Infinity', '-Infinity'])

/** Objects and arrays have spaces in the notation of the database, and none where they are packed. */
export const compactJson = (text: string): string =>
  text.startsWith('{') || text.startsWith('[')
    ? text.replaceAll(stringOrSpace, (found) => (found.startsWith('"') ? found : found[0]!))
    : text

const stringOrSpace = /"[^"\\]*(?:\\.[^"\\]*)*"|[:,] /g

export function jsonPoints(): PointFormat {
  const writeTime = createTimeWriter()
  return {
    point: (timeMs, number, other) =>
      `{"value":${jsonValue(number, other)},"timestamp":"${writeTime(timeMs)}"}`,
    separator: ',',
  }
}

/** `[ms, value]`, for points that this process reads itself. */
export const timedValues: PointFormat = {
  point: (timeMs, number, other) => `[${timeMs},${jsonValue(number, other)}]`,
  separator: ',',
}

/** `[ms, number, text]`: a value that is not a number is its JSON text. */
export const typedValues: PointFormat = {
  point: (timeMs, number, other) =>
    `[${timeMs},${number === null ? 'null' : (finiteNumber(number) ?? 'null')},${other === null ? 'null' : JSON.stringify(compactJson(other))}]`,
  separator: ',',
}

/** Parses the points of a page in one of the formats above that are JSON arrays. */
export const readPoints = <Point>(pieces: string[]) =>
  pieces.flatMap((piece) => JSON.parse(`[${piece}]`) as Point[])
