/** Computes what is drawn (axes, columns and runs of states) from the content of the chart and its width. */
import { type Columns, findExtent, makeColumns } from '../samples/columns.ts'
import { findLongestState, findLongestStep } from '../samples/gaps.ts'
import { findFirst, findNearest, type Samples } from '../samples/samples.ts'
import { endState, listStateRuns, type StateRun } from '../samples/state-runs.ts'
import { assignAxes, limitExtent, padExtent, type ValueAxis } from '../samples/value-axes.ts'
import { span } from '../time/range.ts'
import { type ChartContent, type ChartSeries, isNumeric } from './model.ts'

export interface Picture {
  axes: (ValueAxis & { min: number; max: number })[]
  /** One entry per series; null for a series of states. */
  columns: (Columns | null)[]
  /** One entry per series; null for a numeric series. */
  runs: (StateRun[] | null)[]
}

/** Cache of the longest step of a series, computed again after its length has changed by more than a hundredth. */
export type StepCache = WeakMap<Samples, { length: number; stepMs: number }>

export function makePicture(content: ChartContent, { width, steps, nowMs }: PictureOptions): Picture {
  const { series, range, scale } = content
  const columns = series.map((each) =>
    isNumeric(each)
      ? makeColumns(each.samples, { range, width, longestStepMs: readLongestStep(each, steps) })
      : null,
  )
  const leastMs = span(range) / width
  const runs = series.map((each) =>
    isNumeric(each)
      ? null
      : listStateRuns(each.samples, {
          range,
          lastUntil: Math.min(nowMs, range.to),
          leastMs,
          longestMs: readLongestStep(each, steps),
          offline: content.offline,
        }),
  )
  const numeric = series.flatMap((each, index) => (isNumeric(each) ? [index] : []))
  const axes = assignAxes(
    numeric.map((index) => series[index]!.unit ?? series[index]!.quantity ?? ''),
    width,
  ).map((axis) => {
    const members = axis.series.map((index) => numeric[index]!)
    const extent = padExtent(joinExtents(members.map((index) => columns[index]!)))
    const [min, max] = limitExtent(extent, scale)
    return { ...axis, series: members, min, max }
  })
  return { axes, columns, runs }
}

interface PictureOptions {
  width: number
  steps: StepCache
  nowMs: number
}

function readLongestStep(series: ChartSeries, steps: StepCache): number {
  const { samples, bucketMs, isGapless } = series
  if (isGapless) return Infinity
  const known = steps.get(samples)
  if (known && Math.abs(samples.length - known.length) <= known.length / 100) return known.stepMs
  const stepMs = (isNumeric(series) ? findLongestStep : findLongestState)(samples, bucketMs)
  steps.set(samples, { length: samples.length, stepMs })
  return stepMs
}

function joinExtents(all: Columns[]) {
  const extents = all.map(findExtent).filter((extent) => extent !== null)
  if (extents.length === 0) return { least: 0, greatest: 1 }
  return {
    least: Math.min(...extents.map(({ least }) => least)),
    greatest: Math.max(...extents.map(({ greatest }) => greatest)),
  }
}

export interface Reading {
  time: number
  /** A number, or the index of a state. */
  value: number
  least: number
  greatest: number
  /** Whether the value is the mean of several. */
  isMean: boolean
}

/** Reads the value of a series at a time; null in a gap. */
export function readValue(
  picture: Picture,
  content: ChartContent,
  { series, time, steps }: ReadOptions,
): Reading | null {
  const columns = picture.columns[series]
  const member = content.series[series]!
  if (!columns) return readState(member, content, { time, steps })
  const index = findNearest(columns, time)
  if (index === -1) return null
  const at = columns.times[index]!
  const isBetween =
    time > at
      ? columns.breaks[index + 1] !== 1 && index + 1 < columns.length
      : index > 0 && columns.breaks[index] !== 1
  const reach = Math.min(readLongestStep(member, steps), span(content.range) / 20)
  if (!isBetween && Math.abs(at - time) > Math.max(reach, span(content.range) / 200)) return null
  return {
    time: at,
    value: columns.means[index]!,
    least: columns.least[index]!,
    greatest: columns.greatest[index]!,
    isMean: columns.isReduced && columns.least[index] !== columns.greatest[index],
  }
}

interface ReadOptions {
  series: number
  time: number
  steps: StepCache
}

function readState(
  member: ChartSeries,
  { offline }: ChartContent,
  { time, steps }: Pick<ReadOptions, 'time' | 'steps'>,
): Reading | null {
  const { samples } = member
  const after = findFirst(samples, time)
  const index = samples.times[after] === time && after < samples.length ? after : after - 1
  if (index < 0) return null
  const end = endState(samples.times[index]!, Infinity, {
    longestMs: readLongestStep(member, steps),
    offline,
  })
  if (time > end) return null
  const value = samples.values[index]!
  return { time: samples.times[index]!, value, least: value, greatest: value, isMean: false }
}

/** Finds the time of the value that is `count` values after the one nearest to a time. */
export function stepTime(
  picture: Picture,
  content: ChartContent,
  { series, time, count }: StepOptions,
): number {
  const columns = picture.columns[series]
  const source = columns ?? content.series[series]?.samples
  if (!source || source.length === 0) return time
  const index = Math.min(source.length - 1, Math.max(0, findNearest(source, time) + count))
  return Math.min(content.range.to, Math.max(content.range.from, source.times[index]!))
}

interface StepOptions {
  series: number
  time: number
  /** Number of values to move forward; negative to move back. */
  count: number
}
