/** Several aggregations of the same samples, computed in one pass. [docs/telemetry#aggregations] */
import type { AggregationType } from '../../lib/aggregation-types.ts'
import type { DoneBucket } from './buckets.ts'

export interface SharedPass {
  /** @returns the types to compute, with the given one first */
  begin(type: AggregationType): AggregationType[]
  /** Moves the complete buckets of the other types here until their turn comes. */
  hold(others: DoneBucket[][], progress: { isLast: boolean }): void
  /** @returns the buckets of a type, or undefined if they have to be computed */
  take(type: AggregationType): DoneBucket[] | undefined
}

/** Limits of what one query holds, of all types together: about two MiB, and texts of values that are not numbers. */
const MAX_BUCKETS = 20_000
const MAX_TEXT = 1024 * 1024

/** Results beyond the limits are computed again, one type after another. */
export function createSharedPass(all: AggregationType[]): SharedPass {
  let others: AggregationType[] | undefined
  let held = new Map<AggregationType, DoneBucket[]>()
  let isComplete = false
  let [count, textLength, isTooMuch] = [0, 0, false]
  return {
    begin: (type) => {
      if (others) return [type]
      others = all.filter((other) => other !== type)
      return [type, ...others]
    },
    hold: (results, { isLast }) => {
      // A pass of a single type does not complete one that was broken off.
      if (results.length === 0) return
      for (const [index, done] of results.entries()) {
        for (const { other } of done) textLength += other?.length ?? 0
        count += done.length
        isTooMuch ||= count > MAX_BUCKETS || textLength > MAX_TEXT
        const type = others![index]!
        if (!isTooMuch) held.set(type, [...(held.get(type) ?? []), ...done])
        done.length = 0
      }
      if (isTooMuch) held = new Map()
      isComplete = isLast
    },
    take: (type) => {
      const found = isComplete ? held.get(type) : undefined
      held.delete(type)
      return found
    },
  }
}
