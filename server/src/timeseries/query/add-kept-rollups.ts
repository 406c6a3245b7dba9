/** Adds rollups whose samples are deleted. [docs/telemetry#retention] */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { AggregationType } from '../../lib/aggregation-types.ts'
import { takeTurns } from '../../lib/take-turns.ts'
import {
  hasRollups,
  type KeptRollups,
  listKeptRollups,
  readKeptRollups,
} from '../storage/packed/kept-rollups.ts'
import { KEPT_LENGTHS_MS } from '../storage/packed/kept-span.ts'
import type { RolledUp } from '../storage/packed/rollup.ts'
import type { Grid } from './bucket-grid.ts'
import type { Buckets } from './buckets.ts'
import { isAligned } from './choose-rollups.ts'
import { listDays } from './piece-days.ts'
import { nextQueryTurn } from './query-turns.ts'
import type { Selection } from './selection.ts'

const COARSEST_FIRST = KEPT_LENGTHS_MS.toReversed()
/** Number of rollups after which no further row is read: each may complete a bucket. */
const ROLLUPS = 100_000

/**
 * Rollups that reach over the end of the span or of a bucket are left out: the answer says from when on there are samples.
 * @returns the time before which all was added; undefined if the series has no rollups in the span
 */
export async function addKeptRollups(
  tx: Kysely<Tables>,
  { series, from, to }: Selection,
  { grid, buckets, types }: { grid: Grid; buckets: Buckets; types: AggregationType[] },
): Promise<number | undefined> {
  const listed = await listKeptRollups(tx, series, { from, to })
  if (listed.length === 0) return undefined
  await grid.prepare(tx, listed.flatMap(listDays))
  const turn = takeTurns(nextQueryTurn)
  const maxRollups = ROLLUPS / types.length
  let count = 0
  let until = from
  for (const kept of listed) {
    if (count > maxRollups && kept.first_ms >= until) break
    await turn()
    until = Math.max(until, kept.last_ms + 1)
    const lengths = COARSEST_FIRST.filter((one) => hasRollups(kept, one))
    const lengthMs = lengths.find((one) => isAligned(kept, { grid }, one)) ?? lengths.at(-1)
    if (lengthMs === undefined) continue
    const rollups = readKeptRollups(kept, lengthMs)
    count += rollups.length
    for (const rollup of rollups) {
      const { firstMs, endMs } = spanOf(kept, rollup, lengthMs)
      const isWhole = firstMs >= from && endMs <= Math.min(to, grid.find(firstMs).toMs)
      if (isWhole) buckets.addRollup(firstMs, rollup)
    }
  }
  return Math.min(until, to)
}

/** The span of the samples of a rollup: the piece may begin and end inside it. */
const spanOf = (
  { first_ms: first, last_ms: last }: KeptRollups,
  { startMs }: RolledUp,
  lengthMs: number,
) => ({
  firstMs: Math.max(startMs, first),
  endMs: Math.min(startMs + lengthMs, last + 1),
})
