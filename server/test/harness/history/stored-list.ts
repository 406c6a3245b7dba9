/** The plain list in memory: what is stored after some operations, and what queries have to answer. */
import type { SeriesType } from '../../../src/timeseries/storage/series-key.ts'
import { roundWhole, sumWhole } from '../../../src/timeseries/query/exact-sum.ts'
import type { AggregationType } from '../../../src/lib/aggregation-types.ts'
import type { Message } from './operations.ts'

/** Messages by owner, type, time and id. */
export type StoredList = Map<string, Message>

export const keyOf = ({ owner, type, time, messageId }: Message): string =>
  `${owner} ${type} ${time} ${messageId}`

/** Of a repeat, the first one counts. */
export const removeRepeats = (messages: Message[]): Message[] => [
  ...new Map(messages.toReversed().map((one) => [keyOf(one), one])).values(),
]

export interface Point {
  time: number
  value: unknown
  messageId: bigint
}

export interface SeriesName {
  owner: string
  type: SeriesType
  name: string
}

/** Lists the samples of a series in the order of their times. */
export const listPoints = (stored: StoredList, { owner, type, name }: SeriesName): Point[] =>
  [...stored.values()]
    .filter((one) => one.owner === owner && one.type === type && Object.hasOwn(one.values, name))
    .toSorted((a, b) => a.time - b.time || Number(a.messageId - b.messageId))
    .map(({ time, messageId, values }) => ({ time, messageId, value: values[name] }))

export const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** @returns undefined if the type applies to none of the values */
export function aggregate(type: AggregationType, values: unknown[]): unknown {
  if (type === 'first') return values[0]
  if (type === 'last') return values.at(-1)
  if (type === 'min' || type === 'max') return findExtreme(type, values)
  const numbers = values
    .filter((value) => typeof value === 'number' || typeof value === 'boolean')
    .map(Number)
  if (numbers.length === 0) return undefined
  if (type === 'median') return findMedian(numbers)
  const sum = sumWhole(numbers)
  return withoutSign(type === 'sum' ? roundWhole(sum) : averageWhole(sum, numbers.length))
}

function findExtreme(type: 'min' | 'max', values: unknown[]): unknown {
  const sign = type === 'min' ? 1 : -1
  const numbers = values.filter((value) => typeof value === 'number')
  if (numbers.length > 0)
    return withoutSign(numbers.toSorted((a, b) => sign * (a < b ? -1 : Number(a > b)))[0])
  const strings = values.filter((value) => typeof value === 'string')
  return strings.toSorted((a, b) => sign * compareBytes(a, b))[0]
}

function findMedian(numbers: number[]): unknown {
  const sorted = numbers.toSorted((a, b) => (a < b ? -1 : Number(a > b)))
  const middle = [sorted[Math.floor((sorted.length - 1) / 2)]!, sorted[Math.ceil((sorted.length - 1) / 2)]!]
  return withoutSign(averageWhole(sumWhole(middle), 2))
}

/** A sum beyond the largest double is infinite, because `JSON.parse` reads it so; an average is always finite. */
const averageWhole = (whole: bigint, count: number): number =>
  Number.isFinite(roundWhole(whole)) ? roundWhole(whole) / count : roundWhole(whole / BigInt(count))

/** The sign of zero is undefined for all aggregates but the first and last value. */
export const withoutSign = (value: unknown): unknown => (value === 0 ? 0 : value)
