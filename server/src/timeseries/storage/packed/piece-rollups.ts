/** Rollups of the series of a piece, one after another, so that those of one series are read alone. */
import type { Turn } from '../../../lib/take-turns.ts'
import type { Column } from './column.ts'
import type { UnpackedRows } from './unpacked-rows.ts'
import { packRollups } from './rollup-codec.ts'
import { type BucketRange, divideIntoBuckets, rollUp } from './rollup.ts'
import type { RollupLimits } from './row-key.ts'

/** Lengths of the buckets in the order in which they are stored, each a multiple of the one before. */
export const ROLLUP_LENGTHS_MS = [300_000, 3_600_000]

/**
 * Fewer values are unpacked as quickly, and their rollups would take more than a byte a value. 500 values in a day are
 * more than 20 in an hour.
 */
const ROLLUP_LIMITS: RollupLimits = { values: 500, valuesABucket: 20 }

export interface PackedRollups {
  /** For each section and length, the offset after its rollups. */
  ends: number[]
  data: Buffer
}

/**
 * @param sections of the packed piece
 * @returns undefined if no series has rollups
 */
export async function packPieceRollups(
  { times, columns }: UnpackedRows,
  sections: number[],
  { turn, limits = ROLLUP_LIMITS }: { turn: Turn; limits?: RollupLimits | undefined },
): Promise<PackedRollups | undefined> {
  const parts: Buffer[] = []
  for (const section of sections) {
    const column = columns.get(section)
    for (const lengthMs of ROLLUP_LENGTHS_MS) {
      await turn()
      parts.push((column && packColumnRollups(times, column, { lengthMs, limits })) ?? Buffer.alloc(0))
    }
  }
  const data = Buffer.concat(parts)
  return data.length === 0 ? undefined : { ends: listEnds(parts), data }
}

/** @returns undefined if the series has none: values that are not numbers are read as samples */
function packColumnRollups(
  times: Float64Array,
  column: Column,
  { lengthMs, limits }: { lengthMs: number; limits: RollupLimits },
): Buffer | undefined {
  if (column.others.length > 0) return undefined
  const ranges = divideUnlessFew(times, column, { lengthMs, limits })
  const buckets = ranges && rollUp(column, ranges)
  return buckets && packRollups(buckets, lengthMs)
}

/** @returns undefined if the series has too few numbers for rollups */
export function divideUnlessFew(
  times: Float64Array,
  { numberRows, numbers }: Column,
  { lengthMs, limits }: { lengthMs: number; limits: RollupLimits },
): BucketRange[] | undefined {
  if (numbers.length < limits.values) return undefined
  const ranges = divideIntoBuckets(times, numberRows, lengthMs)
  return numbers.length < limits.valuesABucket * ranges.length ? undefined : ranges
}

export function listEnds(parts: Buffer[]): number[] {
  let end = 0
  return parts.map(({ length }) => (end += length))
}
