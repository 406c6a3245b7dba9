/** Aggregates all samples of a span, packed or not, in buckets. [docs/telemetry#aggregations] */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { AggregationType } from '../../lib/aggregation-types.ts'
import { DAY_MS, dayNumber } from '../storage/partition-names.ts'
import { addRows, readSlice } from './aggregate-slice.ts'
import type { Aggregation } from './aggregation.ts'
import { createGrid } from './bucket-grid.ts'
import { createBuckets, type DoneBucket } from './buckets.ts'
import { formatBuckets } from './format-buckets.ts'
import { type Output, type Page, pointsOfPage } from './page.ts'
import type { ReadRows } from './read-rows.ts'
import type { Selection } from './selection.ts'
import type { SharedPass } from './shared-pass.ts'

/** A page is formatted in one turn of the event loop. */
const BUCKETS_A_PAGE = 5000
const PAGE_BYTES = 1.5 * 1024 * 1024
/** Query planning takes time for every partition of a slice, so that the first one is not too long. */
const FIRST_WINDOW_MS = 32 * DAY_MS
const WINDOW_GROWTH = 16

interface BucketOutput extends Output {
  aggregation: Aggregation
  /** Shared with the other aggregations of the same samples. */
  pass?: SharedPass | undefined
  /** All samples of the span, if they were read already. */
  rows?: ReadRows | undefined
}

/**
 * Yields the buckets in time order, without those that have no suitable value.
 * @returns whether there are more buckets than the limit
 */
export async function* bucketPages(
  db: Kysely<Tables>,
  selection: Selection,
  { aggregation, pass, rows, format, limit }: BucketOutput,
): AsyncGenerator<Page, boolean> {
  const held = pass?.take(aggregation.type)
  let left = limit
  for await (const { done, isLast } of held
    ? [{ done: held, isLast: true }]
    : computeBuckets(db, selection, { aggregation, pass, rows }))
    for (;;) {
      const part = takePart(done, { size: pointsOfPage(BUCKETS_A_PAGE, left), isLast })
      if (part.length === 0) break
      if (left === 0) return true
      yield formatBuckets(part, format)
      left -= part.length
    }
  return false
}

interface ComputedBuckets {
  /** Complete buckets that were not taken yet. */
  done: DoneBucket[]
  isLast: boolean
}

/**
 * The span is read in slices, each from one snapshot of the database; a bucket may span several slices. All types of
 * the pass are computed at once.
 */
async function* computeBuckets(
  db: Kysely<Tables>,
  selection: Selection,
  { aggregation, pass, rows }: Pick<BucketOutput, 'aggregation' | 'pass' | 'rows'>,
): AsyncGenerator<ComputedBuckets> {
  const types: AggregationType[] = pass?.begin(aggregation.type) ?? [aggregation.type]
  const grid = createGrid(aggregation, selection.from)
  const buckets = createBuckets(grid, types)
  const [done, ...others] = buckets.done
  if (rows) {
    await addRows(db, rows, { grid, buckets })
    buckets.finish()
    pass?.hold(others, { isLast: true })
    return yield { done: done!, isLast: true }
  }
  let windowMs = FIRST_WINDOW_MS
  for (let from = selection.from; from < selection.to;) {
    // The slice ends with a day, and so with most of its pieces: only those of several days may reach over its end.
    const windowEnd = Math.min(floorToDay(from + windowMs), selection.to)
    const to = await readSlice(db, { ...selection, from, to: windowEnd }, { grid, buckets, types })
    windowMs = to === windowEnd ? windowMs * WINDOW_GROWTH : Math.max(DAY_MS, 2 * (to - from))
    from = to
    const isLast = from >= selection.to
    if (isLast) buckets.finish()
    pass?.hold(others, { isLast })
    yield { done: done!, isLast }
  }
}

const floorToDay = (ms: number) => dayNumber(ms) * DAY_MS

/** @returns the first buckets if they fill a page, or the remaining ones at the end */
function takePart(done: DoneBucket[], { size, isLast }: { size: number; isLast: boolean }): DoneBucket[] {
  let bytes = 0
  let count = 0
  while (count < done.length && count < size && bytes < PAGE_BYTES) bytes += done[count++]!.other?.length ?? 0
  const isPage = count === size || bytes >= PAGE_BYTES
  return isPage || isLast ? done.splice(0, count) : []
}
