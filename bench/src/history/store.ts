/** Interface of the compared databases. */
import type { HttpRequest } from '../http/ask.ts'
import type { SensorSamples } from './sensors.ts'

export interface Question {
  device: string
  signal: string
  fromMs: number
  /** Exclusive. */
  toMs: number
  /** Averages of buckets of this length; all samples without it. */
  bucketMs?: number
}

/** Number and sum of the values of an answer. */
export interface Answer {
  count: number
  sum: number
}

export interface Store {
  name: string
  add(samples: SensorSamples[]): Promise<void>
  /** Brings what was added into its final form on disk. */
  settle(): Promise<void>
  measureBytes(): Promise<number>
  makeRequest(question: Question): HttpRequest
  readAnswer(text: string): Answer
}

export function sumValues(values: Iterable<unknown>): Answer {
  const answer = { count: 0, sum: 0 }
  for (const value of values) {
    answer.count++
    answer.sum += Number(value)
  }
  return answer
}

const RELATIVE_ERROR = 1e-9

/** Databases add in different orders, and round differently. */
export const agree = (a: Answer, b: Answer): boolean =>
  a.count === b.count &&
  Math.abs(a.sum - b.sum) <= RELATIVE_ERROR * Math.max(1, Math.abs(a.sum), Math.abs(b.sum))
