/** Finds the gaps of a series, across which no line is drawn. */
import type { Samples } from './samples.ts'

/** About this many intervals of a series are read to find the usual one. */
const MAX_INTERVALS = 2000
/** Gaps are longer than this many usual intervals, so that one late or lost sample is no gap. */
const TOLERANCE = 2.5
/** Gaps between buckets are longer than this many buckets, so that each missing bucket is a gap. */
const BUCKET_TOLERANCE = 1.5

/**
 * The longest time between two samples that a line may join.
 *
 * @param bucketMs length of the buckets, if the samples are aggregates
 */
export function findLongestStep(samples: Pick<Samples, 'times' | 'length'>, bucketMs = 0): number {
  const usual = findUsualInterval(samples)
  if (usual === null) return bucketMs > 0 ? bucketMs * BUCKET_TOLERANCE : Infinity
  return bucketMs > 0 && usual <= bucketMs * BUCKET_TOLERANCE
    ? bucketMs * BUCKET_TOLERANCE
    : usual * TOLERANCE
}

/** The 90th percentile of the intervals between samples; null if there are too few samples. */
function findUsualInterval({ times, length }: Pick<Samples, 'times' | 'length'>): number | null {
  if (length < 4) return null
  const every = Math.max(1, Math.floor((length - 1) / MAX_INTERVALS))
  const intervals: number[] = []
  for (let index = 1; index < length; index += every) intervals.push(times[index]! - times[index - 1]!)
  const ordered = Float64Array.from(intervals).toSorted()
  return ordered[Math.floor((ordered.length - 1) * 0.9)]!
}

/** Gaps: spans between two samples that are further apart than the longest step. */
export function listGaps({ times, length }: Pick<Samples, 'times' | 'length'>, longestStepMs: number) {
  const gaps: { from: number; to: number }[] = []
  for (let index = 1; index < length; index++)
    if (times[index]! - times[index - 1]! > longestStepMs)
      gaps.push({ from: times[index - 1]!, to: times[index]! })
  return gaps
}
