/** Divides rows so that those of several days stay together only while they are few. [docs/telemetry#packed] */
import { DAY_MS, dayNumber } from '../partition-names.ts'
import { countCells, type UnpackedRows } from './unpacked-rows.ts'
import { findRow, sliceRows } from './merge-unpacked-rows.ts'
import type { MergeLimits } from './row-key.ts'

/** Yields whole days: one, or several that are within the limits together. */
export function* divideByDays(rows: UnpackedRows, limits: MergeLimits): Generator<UnpackedRows> {
  const { times } = rows
  let start = 0
  if (!isJoint(rows, limits))
    for (let end = findEndOfDay(times, 0); end < times.length;) {
      const next = findEndOfDay(times, end)
      if (next - start > limits.rows || !isJoint(sliceRows(rows, start, next), limits)) {
        yield sliceRows(rows, start, end)
        start = end
      }
      end = next
    }
  yield sliceRows(rows, start, times.length)
}

/** @returns the index after the last row of the day of a row */
const findEndOfDay = (times: Float64Array, row: number): number =>
  findRow(times, (dayNumber(times[row]!) + 1) * DAY_MS)

/** Whether rows may be in one piece. */
function isJoint(rows: UnpackedRows, limits: MergeLimits): boolean {
  const days = countDays(rows)
  return (
    days === 1 ||
    (days <= limits.days && rows.times.length <= limits.rows && countCells(rows) <= limits.cells)
  )
}

/** Days from the first row to the last one, including both. */
const countDays = ({ times }: UnpackedRows): number => dayNumber(times.at(-1)!) - dayNumber(times[0]!) + 1

/** @returns the number of values of each day from that of the first row on; null for the rows of one day */
export function countDayValues({ times, columns }: UnpackedRows): number[] | null {
  const firstDay = dayNumber(times[0]!)
  const lastDay = dayNumber(times.at(-1)!)
  if (firstDay === lastDay) return null
  const counts = Array.from({ length: lastDay - firstDay + 1 }, () => 0)
  for (const { numberRows, otherRows } of columns.values())
    for (const rows of [numberRows, otherRows])
      for (const row of rows) counts[dayNumber(times[row]!) - firstDay]!++
  return counts
}
