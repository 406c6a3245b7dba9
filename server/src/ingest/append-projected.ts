import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import { appendSamples } from '../timeseries/append.ts'
import { ensurePartitions } from '../timeseries/ensure-partitions.ts'
import type { StoredSample } from '../timeseries/stored-sample.ts'
import { joinValues, listJoining, possibleSamples } from './projection/join.ts'
import { type Projected, samplesOf } from './projection/projected.ts'
import { batchOf, ensureSeriesOf, samplesToTell } from './sample-batch.ts'

/**
 * Appends what was projected within a transaction, for what cannot be known before it: values put together with others',
 * and repeats. Series and partitions are made on another connection, so that they stay whatever becomes of the
 * transaction; before it reads a sample, since a new partition waits for whoever reads the table.
 * @returns how many samples were stored, and those that others have to see
 */
export async function appendProjected(
  ctx: Context,
  tx: Kysely<Tables>,
  projected: Projected[],
): Promise<{ count: number; stored: StoredSample[] }> {
  const joining = listJoining(projected)
  const possible = [...samplesOf(projected), ...possibleSamples(joining)]
  await ensureSeriesOf(ctx, possible)
  await ensurePartitions(ctx.pool, ctx.partitions, batchOf(ctx.series, possible))
  if (joining.length > 0) await joinValues(tx, joining)
  const samples = samplesOf(projected)
  const batch = batchOf(ctx.series, samples)
  const { repeats } = await appendSamples(tx, batch)
  return { count: batch.time.length - repeats.length, stored: samplesToTell(ctx, samples, repeats) }
}
