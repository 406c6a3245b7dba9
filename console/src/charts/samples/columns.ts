/** Reduces samples to one column per pixel, with the least, greatest and mean value of each column. */
import type { Range } from '../time/range.ts'
import { findFirst, type Samples } from './samples.ts'

export interface Columns {
  length: number
  /** The time at which the column is drawn. */
  times: Float64Array
  means: Float64Array
  least: Float64Array
  greatest: Float64Array
  /** 1 where a gap precedes the column. */
  breaks: Uint8Array
  /** Whether a column stands for several samples, so that it has an envelope. */
  isReduced: boolean
}

interface ColumnsOptions {
  range: Range
  /** Width of the plot in pixels, of which each becomes at most one column. */
  width: number
  /** The longest time between two samples that a line may join. */
  longestStepMs: number
}

/** Samples are reduced if there are more than this per pixel. */
const DENSE = 1.5

export function makeColumns(samples: Samples, { range, width, longestStepMs }: ColumnsOptions): Columns {
  // One more sample on each side, so that the line continues to the edge.
  const first = Math.max(0, findFirst(samples, range.from) - 1)
  const end = Math.min(samples.length, findFirst(samples, range.to) + 1)
  if (end - first <= DENSE * width) return copySamples(samples, { first, end, longestStepMs })
  return reduceSamples(samples, { first, end, longestStepMs, columnMs: (range.to - range.from) / width })
}

interface Part {
  first: number
  end: number
  longestStepMs: number
}

function copySamples(samples: Samples, { first, end, longestStepMs }: Part): Columns {
  const { times, values, least, greatest } = samples
  const breaks = new Uint8Array(end - first)
  for (let index = first + 1; index < end; index++)
    if (times[index]! - times[index - 1]! > longestStepMs) breaks[index - first] = 1
  return {
    length: end - first,
    times: times.subarray(first, end),
    means: values.subarray(first, end),
    least: (least ?? values).subarray(first, end),
    greatest: (greatest ?? values).subarray(first, end),
    breaks,
    isReduced: least !== null,
  }
}

/** Columns begin at multiples of their duration since 1970, so that the chart does not flicker while it is panned. */
function reduceSamples(
  samples: Samples,
  { first, end, longestStepMs, columnMs }: Part & { columnMs: number },
): Columns {
  const { times, values } = samples
  const lower = samples.least ?? values
  const upper = samples.greatest ?? values
  const most = Math.ceil((times[end - 1]! - times[first]!) / columnMs) + 2
  const columns = makeEmptyColumns(most)
  let index = first
  let column = 0
  while (index < end) {
    const number = Math.floor(times[index]! / columnMs)
    const isBreak = index > first && times[index]! - times[index - 1]! > longestStepMs
    const start = index
    let least = lower[index]!
    let greatest = upper[index]!
    let sum = 0
    do {
      if (lower[index]! < least) least = lower[index]!
      if (upper[index]! > greatest) greatest = upper[index]!
      sum += values[index]!
      index++
    } while (index < end && Math.floor(times[index]! / columnMs) === number)
    columns.times[column] = (number + 0.5) * columnMs
    columns.means[column] = sum / (index - start)
    columns.least[column] = least
    columns.greatest[column] = greatest
    columns.breaks[column] = isBreak ? 1 : 0
    column++
  }
  columns.length = column
  return columns
}

const makeEmptyColumns = (length: number): Columns => ({
  length: 0,
  times: new Float64Array(length),
  means: new Float64Array(length),
  least: new Float64Array(length),
  greatest: new Float64Array(length),
  breaks: new Uint8Array(length),
  isReduced: true,
})

/** Least and greatest value of all columns; null if there is none. */
export function findExtent(columns: Columns): { least: number; greatest: number } | null {
  let [least, greatest] = [Infinity, -Infinity]
  for (let index = 0; index < columns.length; index++) {
    if (columns.least[index]! < least) least = columns.least[index]!
    if (columns.greatest[index]! > greatest) greatest = columns.greatest[index]!
  }
  return least <= greatest ? { least, greatest } : null
}
