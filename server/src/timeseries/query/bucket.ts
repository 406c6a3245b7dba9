/** Aggregates the values of one bucket, in the order of time and message. [docs/telemetry#aggregations] */
import type { AggregationType } from '../../lib/aggregation-types.ts'
import { collectNumber, createCollection, findMedian } from './median.ts'
import type { RolledUp } from '../storage/packed/rollup.ts'
import { addNumber, addSum, averageText, createRunningSum, sumText } from './running-sum.ts'

export interface Bucket {
  /** @param other JSON text of a value that is not a number; either this or `number` is null */
  add(number: number | null, other: string | null): void
  /** Adds all numbers of a rollup. */
  addRollup(rollup: RolledUp): void
  hasValue(): boolean
  result(): BucketResult
}

export interface BucketResult {
  /** As text, because a sum may exceed the largest double. */
  number: string | null
  /** JSON text */
  other: string | null
}

export function createBucket(type: AggregationType): Bucket {
  switch (type) {
    case 'avg':
    case 'sum':
      return createSum(type)
    case 'median':
      return createMedian()
    case 'min':
      return createExtreme(-1)
    case 'max':
      return createExtreme(1)
    case 'first':
      return createEdge(false)
    case 'last':
      return createEdge(true)
  }
}

function createSum(type: 'avg' | 'sum'): Bucket {
  const sum = createRunningSum()
  return {
    add: (number, other) => {
      const value = number ?? readBoolean(other)
      if (value !== undefined) addNumber(sum, value)
    },
    addRollup: ({ count, sum: most, remainder }) => addSum(sum, { count, parts: [most, remainder] }),
    hasValue: () => sum.count > 0,
    result: () => ({ number: (type === 'sum' ? sumText : averageText)(sum), other: null }),
  }
}

const readBoolean = (other: string | null) => (other === 'true' ? 1 : other === 'false' ? 0 : undefined)

function createMedian(): Bucket {
  const collected = createCollection()
  return {
    add: (number, other) => {
      const value = number ?? readBoolean(other)
      if (value !== undefined) collectNumber(collected, value)
    },
    // Where only rollups are kept, there is no median. Elsewhere a query of one reads samples.
    addRollup: () => {},
    hasValue: () => collected.count > 0,
    result: () => ({ number: formatNumber(findMedian(collected)), other: null }),
  }
}

/** Strings count only if the bucket has no number. */
function createExtreme(sign: 1 | -1): Bucket {
  let best: number | undefined
  let bestText: Buffer | undefined
  const compare = (number: number) => {
    best = best === undefined || (number - best) * sign >= 0 ? number : best
  }
  return {
    add: (number, other) => {
      if (number !== null) compare(number)
      else if (best === undefined && other!.startsWith('"')) {
        const text = Buffer.from(JSON.parse(other!) as string)
        if (bestText === undefined || Buffer.compare(text, bestText) * sign > 0) bestText = text
      }
    },
    addRollup: ({ min, max }) => compare(sign < 0 ? min : max),
    hasValue: () => best !== undefined || bestText !== undefined,
    result: () =>
      best !== undefined
        ? { number: formatNumber(best), other: null }
        : { number: null, other: JSON.stringify(bestText!.toString()) },
  }
}

function createEdge(isLast: boolean): Bucket {
  let found: { number: number | null; other: string | null } | undefined
  return {
    add: (number, other) => {
      if (isLast || !found) found = { number, other }
    },
    addRollup: ({ first, last }) => {
      if (isLast || !found) found = { number: isLast ? last : first, other: null }
    },
    hasValue: () => found !== undefined,
    result: () => ({
      number: found!.number === null ? null : formatNumber(found!.number),
      other: found!.other,
    }),
  }
}

/** `String` drops the sign of zero. */
const formatNumber = (number: number) => (Object.is(number, -0) ? '-0' : String(number))
