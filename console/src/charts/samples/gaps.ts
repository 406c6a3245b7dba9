/** Finds the gaps of a series, across which no line is drawn. */
import type { Samples } from './samples.ts'

/** About this many intervals of a series are read to find the usual one. */
const MAX_INTERVALS = 2000
/** The usual interval is longer than this share of the others. */
const USUAL = 0.9
/** Regular samples have a usual interval of at most this many median intervals. */
const REGULAR = 1.5
/** Gaps are longer than this many usual intervals, so that one late or lost sample is no gap. */
const TOLERANCE = 2.5
/** Gaps between buckets are longer than this many buckets, so that each missing bucket is a gap. */
const BUCKET_TOLERANCE = 1.5
/** Below this many samples in a bucket, one without any may lie between two samples that were in time. */
const SPARSE = 2

type Timed = Pick<Samples, 'times' | 'length' | 'perBucket'>

/**
 * The longest time between two samples that a line may join.
 *
 * @param bucketMs length of the buckets, if the samples are aggregates
 */
export function findLongestStep(samples: Timed, bucketMs = 0): number {
  const usual = findUsualInterval(samples)
  const { perBucket = SPARSE } = samples
  const longestMs = bucketMs * (perBucket < SPARSE ? TOLERANCE : BUCKET_TOLERANCE)
  if (usual === null) return bucketMs > 0 ? longestMs : Infinity
  return bucketMs > 0 && usual <= bucketMs * BUCKET_TOLERANCE ? longestMs : usual * TOLERANCE
}

/**
 * The longest time that a state lasts without another sample. States that are sent regularly end when their samples stay
 * away; those that are sent when they change last until the next sample.
 *
 * @param bucketMs length of the buckets, if the samples are aggregates
 */
export function findLongestState(samples: Timed, bucketMs = 0): number {
  const intervals = listIntervals(samples)
  if (intervals === null) return Infinity
  const isRegular = pickShare(intervals, USUAL) <= pickShare(intervals, 0.5) * REGULAR
  return isRegular ? findLongestStep(samples, bucketMs) : Infinity
}

/** The usual interval between samples; null if there are too few samples. */
function findUsualInterval(samples: Pick<Samples, 'times' | 'length'>): number | null {
  const intervals = listIntervals(samples)
  return intervals && pickShare(intervals, USUAL)
}

/** Intervals between samples, the shortest first; null if there are too few samples. */
function listIntervals({ times, length }: Pick<Samples, 'times' | 'length'>): Float64Array | null {
  if (length < 4) return null
  const every = Math.max(1, Math.floor((length - 1) / MAX_INTERVALS))
  const intervals: number[] = []
  for (let index = 1; index < length; index += every) intervals.push(times[index]! - times[index - 1]!)
  return Float64Array.from(intervals).toSorted()
}

const pickShare = (ordered: Float64Array, share: number) => ordered[Math.floor((ordered.length - 1) * share)]!

/** Gaps: spans between two samples that are further apart than the longest step. */
export function listGaps({ times, length }: Pick<Samples, 'times' | 'length'>, longestStepMs: number) {
  const gaps: { from: number; to: number }[] = []
  for (let index = 1; index < length; index++)
    if (times[index]! - times[index - 1]! > longestStepMs)
      gaps.push({ from: times[index - 1]!, to: times[index]! })
  return gaps
}
