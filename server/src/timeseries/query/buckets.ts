/** Assigns samples and rollups, in time order, to the buckets of a grid. */
import type { AggregationType } from '../../lib/aggregation-types.ts'
import type { RolledUp } from '../storage/packed/rollup.ts'
import { type Bucket, type BucketResult, createBucket } from './bucket.ts'
import type { Grid, Segment } from './bucket-grid.ts'
import type { VisitSample } from './sample-cursor.ts'

export interface DoneBucket extends BucketResult {
  startMs: number
}

export interface Buckets {
  add: VisitSample
  /** Adds the numbers of a rollup, all of which are in one bucket. @param timeMs a time at which they are in it */
  addRollup(timeMs: number, rollup: RolledUp): void
  /** Completes the open buckets. */
  finish(): void
  /** For each type, its complete buckets in time order, without those that have no suitable value. */
  done: DoneBucket[][]
}

interface OpenBucket {
  startMs: number
  /** One for each type. */
  parts: Bucket[]
}

const NOWHERE: Segment = { startMs: Infinity, fromMs: Infinity, toMs: -Infinity }

export function createBuckets(grid: Grid, types: AggregationType[]): Buckets {
  // Two buckets are open while clocks are set back over midnight.
  const open = new Map<number, OpenBucket>()
  const done = types.map((): DoneBucket[] => [])
  let segment = NOWHERE
  let parts: Bucket[]
  const finishBefore = (untilMs: number) => {
    for (const { startMs, parts: finished } of open.values()) {
      if (startMs >= untilMs) return
      open.delete(startMs)
      for (const [index, part] of finished.entries())
        if (part.hasValue()) done[index]!.push({ startMs, ...part.result() })
    }
  }
  const enter = (timeMs: number) => {
    segment = grid.find(timeMs)
    const { startMs } = segment
    if (timeMs >= startMs + grid.repeatedMs) finishBefore(startMs)
    const bucket = open.get(startMs) ?? { startMs, parts: types.map(createBucket) }
    open.set(startMs, bucket)
    parts = bucket.parts
  }
  const isOutside = (timeMs: number) => timeMs >= segment.toMs || timeMs < segment.fromMs
  return {
    add: (timeMs, number, other) => {
      if (isOutside(timeMs)) enter(timeMs)
      for (let index = 0; index < parts.length; index++) parts[index]!.add(number, other)
    },
    addRollup: (timeMs, rollup) => {
      if (isOutside(timeMs)) enter(timeMs)
      for (const part of parts) part.addRollup(rollup)
    },
    finish: () => finishBefore(Infinity),
    done,
  }
}
