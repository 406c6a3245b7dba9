/** Visits samples of two sources in the order of time and message. */
import { findRow } from '../storage/packed/merge-unpacked-rows.ts'
import { findRowBehind, type SamplePlace } from '../storage/packed/sample-place.ts'
import type { SeriesColumn } from '../storage/packed/read-pieces.ts'

/** @param other JSON text of a value that is not a number; either this or `number` is null */
export type VisitSample = (timeMs: number, number: number | null, other: string | null) => void
/** As `VisitSample`; the number may also be a text, because a sum may exceed the largest double. */
export type VisitPoint = (timeMs: number, number: number | string | null, other: string | null) => void

interface CursorSpan {
  from: number
  to: number
  /** Only later samples are visited. */
  after?: SamplePlace | undefined
}

export interface SampleCursor extends SeriesColumn {
  /** Time of the current sample; infinite after the last one. */
  timeMs: number
  row: number
  /** Current positions in the numbers and in the other values. */
  number: number
  other: number
  /** Index after the last row of the span. */
  end: number
}

export function openCursor(samples: SeriesColumn, { from, to, after }: CursorSpan): SampleCursor {
  const { times, messageIds, column } = samples
  const start = after ? findRowBehind(times, messageIds!, after) : findRow(times, from)
  const cursor = {
    ...samples,
    timeMs: 0,
    row: start,
    number: findRow(column.numberRows, start),
    other: findRow(column.otherRows, start),
    end: findRow(times, to),
  }
  settle(cursor)
  return cursor
}

function settle(cursor: SampleCursor): void {
  const { numberRows, otherRows } = cursor.column
  const numberRow = cursor.number < numberRows.length ? numberRows[cursor.number]! : Infinity
  const otherRow = cursor.other < otherRows.length ? otherRows[cursor.other]! : Infinity
  cursor.row = numberRow < otherRow ? numberRow : otherRow
  cursor.timeMs = cursor.row < cursor.end ? cursor.times[cursor.row]! : Infinity
}

export function visitOne(cursor: SampleCursor, visit: VisitSample): void {
  const { numberRows, numbers, others } = cursor.column
  if (cursor.number < numberRows.length && numberRows[cursor.number] === cursor.row)
    visit(cursor.timeMs, numbers[cursor.number++]!, null)
  else visit(cursor.timeMs, null, others[cursor.other++]!)
  settle(cursor)
}

/** Number of samples that are visited before other work on the event loop may run. */
export const SAMPLES_A_PART = 1024

/** Visits some samples of `cursor`, and those of `others` before them. */
export function visitMerged(cursor: SampleCursor, others: SampleCursor, visit: VisitSample): void {
  for (let left = SAMPLES_A_PART; cursor.timeMs < Infinity && left > 0; left--)
    visitOne(isBefore(others, cursor) ? others : cursor, visit)
}

export const isBefore = (a: SampleCursor, b: SampleCursor): boolean =>
  a.timeMs < b.timeMs ||
  (a.timeMs === b.timeMs &&
    a.timeMs < Infinity &&
    a.messageIds !== undefined &&
    b.messageIds !== undefined &&
    a.messageIds[a.row]! < b.messageIds[b.row]!)

/** Visits some of the samples before a time. */
export function visitBefore(cursor: SampleCursor, timeMs: number, visit: VisitSample): void {
  for (let left = SAMPLES_A_PART; cursor.timeMs < timeMs && left > 0; left--) visitOne(cursor, visit)
}
