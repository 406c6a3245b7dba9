import type { DoneBucket } from './buckets.ts'
import { createPageWriter, type Page } from './page.ts'
import type { PointFormat } from './point-format.ts'

/** @param buckets at least one */
export function formatBuckets(buckets: DoneBucket[], format: PointFormat): Page {
  const page = createPageWriter(format, { points: Infinity, length: Infinity })
  for (const { startMs, number, other } of buckets) page.add(startMs, number, other)
  return page.finish()!
}
