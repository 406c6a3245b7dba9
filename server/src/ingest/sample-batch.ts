/** Measurements, column by column, as they go into the database. */
import type { Context } from '../context.ts'
import { emptySampleBatch, type SampleBatch } from '../timeseries/sample-batch.ts'
import { ensureSeries, type SeriesKey } from '../timeseries/series.ts'
import { type SeriesRegistry, seriesNumber } from '../timeseries/series-registry.ts'
import type { Measurement } from './read-messages.ts'

type Timed = Pick<Measurement, 'timeMs' | 'messageId' | 'samples'>

/** Before any transaction: a number taken from one that is rolled back would be nobody's. */
export async function ensureSeriesOf(ctx: Context, measurements: Timed[]): Promise<void> {
  const missing: SeriesKey[] = []
  for (const { samples } of measurements)
    for (const { key } of samples) if (seriesNumber(ctx.series, key) === undefined) missing.push(key)
  if (missing.length > 0) await ensureSeries(ctx.db, ctx.series, missing)
}

export function batchOf(registry: SeriesRegistry, measurements: Timed[]): SampleBatch {
  const batch = emptySampleBatch()
  for (const { timeMs, messageId, samples } of measurements)
    for (const { key, value } of samples) {
      batch.tenantNumber.push(key.tenantNumber)
      batch.seriesNumber.push(numberOf(registry, key))
      batch.time.push(timeMs)
      batch.messageId.push(messageId)
      batch.value.push(value)
    }
  return batch
}

export function numberOf(registry: SeriesRegistry, key: SeriesKey): number {
  const number = seriesNumber(registry, key)
  // The registry is bounded: under pressure a series can leave it between two steps. Another try finds it again.
  if (number === undefined) throw new Error('a series left the registry while it was needed')
  return number
}
