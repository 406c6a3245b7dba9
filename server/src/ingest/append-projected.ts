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
 * Creates the series and partitions of all samples that may be stored. It uses a different connection than the
 * transaction, so that they stay even after a rollback, and runs before the transaction reads samples, since creating a
 * partition waits for all readers of the table.
 * @returns all samples that may be stored; where no values are joined, this is the batch itself
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
 * Appends samples that are known only within the transaction: joined values, and batches with repeats. Call it after
 * `prepareStorage`.
 * @returns the number of stored samples, and the samples that alarms and push observe
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
