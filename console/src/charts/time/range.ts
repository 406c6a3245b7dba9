/** Time ranges of charts, in milliseconds since 1970 in UTC. */
import { addUnits, type CalendarUnit, startOfUnit } from './calendar.ts'
import type { Zone } from './zone.ts'

export interface Range {
  from: number
  to: number
}

/** Zooming is limited to ranges between a tenth of a second and ten years. */
const MIN_SPAN_MS = 100
const MAX_SPAN_MS = 10 * 366 * 86_400_000

export const span = ({ from, to }: Range): number => to - from

/** @param factor below 1 zooms in; the anchor stays where it is on the screen */
export function zoomRange(range: Range, factor: number, anchor = (range.from + range.to) / 2): Range {
  const wanted = Math.min(MAX_SPAN_MS, Math.max(MIN_SPAN_MS, span(range) * factor))
  const share = (anchor - range.from) / span(range)
  const from = Math.round(anchor - share * wanted)
  return { from, to: from + Math.round(wanted) }
}

/** @param share part of the span: 0.5 moves the range by half a screen into the future */
export function panRange(range: Range, share: number): Range {
  const distance = Math.round(span(range) * share)
  return { from: range.from + distance, to: range.to + distance }
}

/** Range between two moments in any order, extended to the shortest range that can be shown. */
export function orderRange(one: number, other: number): Range {
  const [from, to] = one < other ? [one, other] : [other, one]
  return to - from >= MIN_SPAN_MS ? { from, to } : zoomRange({ from, to: from + 1 }, MIN_SPAN_MS)
}

/** Range of the calendar unit that contains a moment, moved by `shift` units. */
export function unitRange(
  zone: Zone,
  unit: CalendarUnit,
  { at, shift = 0 }: { at: number; shift?: number },
): Range {
  const from = addUnits(zone, unit, { at: startOfUnit(zone, unit, at), count: shift })
  return { from, to: addUnits(zone, unit, { at: from, count: 1 }) }
}

export const isSameRange = (one: Range, other: Range): boolean =>
  one.from === other.from && one.to === other.to
