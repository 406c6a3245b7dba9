/** Chooses, piece by piece, between rollups and samples. [docs/telemetry#rollups] */
import { findRow } from '../storage/packed/merge-unpacked-rows.ts'
import type { SeriesPiece } from '../storage/packed/choose-pieces.ts'
import { ROLLUP_LENGTHS_MS } from '../storage/packed/piece-rollups.ts'
import { rollupBytes } from '../storage/packed/read-rollups.ts'
import type { Grid } from './bucket-grid.ts'

interface QueriedSpan {
  /** Prepared for the days of the piece. */
  grid: Grid
  /** Milliseconds since 1970. The span includes `from` and excludes `to`. */
  from: number
  to: number
}

const COARSEST_FIRST = ROLLUP_LENGTHS_MS.toReversed()

/** @returns the length of the coarsest rollups that give the exact result, or undefined if samples have to be read */
export const chooseRollups = (piece: SeriesPiece, span: QueriedSpan): number | undefined =>
  COARSEST_FIRST.find((lengthMs) => rollupBytes(piece, lengthMs) > 0 && isAligned(piece, span, lengthMs))

/** Whether neither the span, if there is one, nor a bucket of the query begins or ends inside a rollup of the piece. */
export function isAligned(
  { first_ms: firstMs, last_ms: lastMs }: Pick<SeriesPiece, 'first_ms' | 'last_ms'>,
  { grid, from = -Infinity, to = Infinity }: Pick<QueriedSpan, 'grid'> & Partial<QueriedSpan>,
  lengthMs: number,
): boolean {
  const isInside = (timeMs: number) => timeMs > firstMs && timeMs <= lastMs && timeMs % lengthMs !== 0
  if (isInside(from) || isInside(to)) return false
  for (let { toMs } = grid.find(firstMs); toMs <= lastMs; { toMs } = grid.find(toMs))
    if (isInside(toMs)) return false
  return true
}

/** Whether a row that is not packed lies between the samples of a piece, which are then merged one by one. */
export const hasRowsBetween = (
  { first_ms: firstMs, last_ms: lastMs }: SeriesPiece,
  times: Float64Array,
): boolean => times[findRow(times, firstMs)]! <= lastMs
