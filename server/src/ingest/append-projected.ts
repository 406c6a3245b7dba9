import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { appendSamples } from '../timeseries/storage/append.ts'
import { ensurePartitions } from '../timeseries/storage/ensure-partitions.ts'
import type { SampleBatch } from '../timeseries/storage/sample-batch.ts'
import type { StoredSample } from '../timeseries/storage/stored-sample.ts'
import type { StoreContext } from './batch.ts'
import { observedSamples } from './observed-samples.ts'
import { joinValues, listJoining, possibleSamples } from './projection/join.ts'
import { type Projected, listSamples } from './projection/projected.ts'
import { ensureSampleSeries, readBatch } from './sample-batch.ts'

/**
 * Makes the series and partitions of everything that may be stored. On another connection than the transaction's, so
 * that they stay whatever becomes of it; and before the transaction reads a sample, since a new partition waits for
 * whoever reads the table.
 * @returns everything that may be stored: the very batch, where no values are joined
 */
export async function prepareStorage(
  ctx: Pick<StoreContext, 'db' | 'pool' | 'series' | 'partitions'>,
  projected: Projected[],
): Promise<SampleBatch> {
  const samples = [...listSamples(projected), ...possibleSamples(listJoining(projected))]
  await ensureSampleSeries(ctx, samples)
  const batch = readBatch(ctx.series, samples)
  await ensurePartitions(ctx.pool, ctx.partitions, batch)
  return batch
}

/**
 * Appends within a transaction what cannot be known before it: joined values, and repeats. Follows `prepareStorage`.
 * @returns how many samples were stored, and those that alarms and push observe
 */
export async function appendProjected(
  ctx: Pick<StoreContext, 'series' | 'alarms' | 'push'>,
  tx: Kysely<Tables>,
  projected: Projected[],
): Promise<{ count: number; stored: StoredSample[] }> {
  const joining = listJoining(projected)
  if (joining.length > 0) await joinValues(tx, joining)
  const samples = listSamples(projected)
  const batch = readBatch(ctx.series, samples)
  const { repeats } = await appendSamples(tx, batch)
  return { count: batch.time.length - repeats.length, stored: observedSamples(ctx, samples, repeats) }
}
