/** Statistics of a series in a range, for the legend. */
import type { Range } from '../time/range.ts'
import { findFirst, type Samples } from './samples.ts'

export interface Summary {
  last: number
  least: number
  greatest: number
  mean: number
}

/** @returns null if there is no sample in the range */
export function summarize(samples: Samples, { from, to }: Range): Summary | null {
  const { values, least: lower, greatest: upper } = samples
  const first = findFirst(samples, from)
  const end = findFirst(samples, to + 1)
  if (first >= end) return null
  let [least, greatest, sum] = [Infinity, -Infinity, 0]
  for (let index = first; index < end; index++) {
    const [low, high] = [(lower ?? values)[index]!, (upper ?? values)[index]!]
    if (low < least) least = low
    if (high > greatest) greatest = high
    sum += values[index]!
  }
  return { last: values[end - 1]!, least, greatest, mean: sum / (end - first) }
}
