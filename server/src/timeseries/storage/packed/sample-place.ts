import { findRow } from './merge-unpacked-rows.ts'

/** The position of a sample in the order: samples of the same time are ordered by message. */
export interface SamplePlace {
  timeMs: number
  messageId: bigint
}

/** Finds the first row after a place. */
export function findRowBehind(
  times: Float64Array,
  messageIds: BigInt64Array,
  { timeMs, messageId }: SamplePlace,
): number {
  let row = findRow(times, timeMs)
  while (times[row] === timeMs && messageIds[row]! <= messageId) row++
  return row
}
