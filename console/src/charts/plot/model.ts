/** The content of a chart: its series, range, time zone and offline spans. */
import type { Samples } from '../samples/samples.ts'
import type { Range } from '../time/range.ts'
import type { Zone } from '../time/zone.ts'

export interface ChartSeries {
  id: string
  label: string
  unit?: string | undefined
  /** Series without a unit share an axis if they have the same quantity. */
  quantity?: string | undefined
  /** May be changed in place; `Plot.invalidate()` then redraws the chart. */
  samples: Samples
  /** Length of the buckets, if the samples are aggregates. */
  bucketMs?: number | undefined
  /** Index of the color and dash; by default the index of the series. */
  color?: number | undefined
  /** A color in place of the one of the palette, such as `#1c7ed6`; the dash stays. */
  ink?: string | undefined
  /** How states are drawn that have a meaning, by their texts; the others have the colors of the palette. */
  looks?: Readonly<Record<string, StateLook>> | undefined
  /** Whether its states are known at all times, so that each lasts until the next one. */
  isGapless?: boolean
}

/** `off` is faint, grey and without its text, `bad` is red, and `hatched` has red stripes. */
export type StateLook = 'off' | 'bad' | 'hatched'

/** What is drawn of the scale of the values, beside the values. */
export interface ChartScale {
  /** Limits of the axes; without them they follow the values. */
  min?: number | undefined
  max?: number | undefined
  /** Lines across the chart, where the axis reaches them. */
  thresholds?: { value: number; color?: string | undefined; label?: string | undefined }[] | undefined
  /** Decimals of the values as text; five digits in all without. */
  decimals?: number | undefined
}

/** A span in which a device was not connected. */
export interface OfflineSpan extends Range {
  label: string
}

export interface ChartContent {
  series: ChartSeries[]
  range: Range
  zone: Zone
  locale: string
  offline: OfflineSpan[]
  /** Fills the area between the line and the bottom. */
  isArea: boolean
  scale: ChartScale
}

export const isNumeric = ({ samples }: ChartSeries) => samples.states === null
export const colorIndex = (series: ChartSeries, index: number) => series.color ?? index
