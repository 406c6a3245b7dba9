/** Merges series into the rows of a table. */
import type { Range } from '../time/range.ts'
import { findFirst, type Samples } from './samples.ts'

export interface Row {
  time: number
  /** Index of the sample of each series; -1 for a series without a sample at this time. */
  indexes: number[]
}

/**
 * The newest rows of a range, the newest first; samples of the same time share one.
 *
 * @returns at most `limit` rows, and the number of all rows in the range
 */
export function listRows(all: Samples[], { from, to }: Range, limit: number): { rows: Row[]; count: number } {
  const ends = all.map((samples) => findFirst(samples, to + 1))
  const starts = all.map((samples) => findFirst(samples, from))
  const rows: Row[] = []
  let count = 0
  while (true) {
    let time = -Infinity
    for (let series = 0; series < all.length; series++)
      if (ends[series]! > starts[series]!) time = Math.max(time, all[series]!.times[ends[series]! - 1]!)
    if (time === -Infinity) return { rows, count }
    const indexes = all.map((samples, series) => {
      const index = ends[series]! - 1
      if (index < starts[series]! || samples.times[index] !== time) return -1
      ends[series] = index
      return index
    })
    if (count++ < limit) rows.push({ time, indexes })
  }
}
