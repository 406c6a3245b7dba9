import type { SeriesPiece } from '../storage/packed/choose-pieces.ts'
import { DAY_MS } from '../storage/partition-names.ts'

/** @returns a time in each day on which the piece may have samples */
export function listDays({
  first_ms: firstMs,
  last_ms: lastMs,
}: Pick<SeriesPiece, 'first_ms' | 'last_ms'>): number[] {
  const days: number[] = []
  for (let timeMs = firstMs; timeMs < lastMs; timeMs += DAY_MS) days.push(timeMs)
  return [...days, lastMs]
}
