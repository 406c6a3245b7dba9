/** Arranges samples in columns, as they are written to the database. */
import { emptySampleBatch, type SampleBatch } from '../timeseries/storage/sample-batch.ts'
import type { SeriesKey } from '../timeseries/storage/series-key.ts'
import { ensureSeries } from '../timeseries/storage/series.ts'
import { type SeriesRegistry, seriesNumber } from '../timeseries/storage/series-registry.ts'
import type { StoreContext } from './batch.ts'
import type { Samples } from './samples.ts'

/** Runs outside of any transaction, since the registry must not keep numbers of series that were rolled back. */
export async function ensureSampleSeries(
  ctx: Pick<StoreContext, 'db' | 'series'>,
  measured: Samples[],
): Promise<void> {
  const missing: SeriesKey[] = []
  forEachSample(measured, (key) => {
    if (seriesNumber(ctx.series, key) === undefined) missing.push({ ...key })
  })
  if (missing.length > 0) await ensureSeries(ctx.db, ctx.series, missing)
}

export function readBatch(registry: SeriesRegistry, measured: Samples[]): SampleBatch {
  const batch = emptySampleBatch()
  forEachSample(measured, (key, value, { timeMs, messageId }) => {
    batch.tenantNumber.push(key.tenantNumber)
    batch.seriesNumber.push(requireSeriesNumber(registry, key))
    batch.time.push(timeMs)
    batch.messageId.push(messageId)
    batch.value.push(value)
  })
  return batch
}

/** @returns undefined if there is no value */
export function findFirstSeries(measured: Samples[]): SeriesKey | undefined {
  let first: SeriesKey | undefined
  forEachSample(measured, (key) => (first ??= { ...key }))
  return first
}

/** @param visit gets a key object that is reused for the next sample, since thousands of keys are only looked up */
function forEachSample(
  measured: Samples[],
  visit: (key: SeriesKey, value: unknown, samples: Samples) => void,
): void {
  for (const samples of measured) {
    const { owner, componentId, type, names, values } = samples
    const { tenantNumber, ownerType, ownerId } = owner
    const key: SeriesKey = { tenantNumber, ownerType, ownerId, componentId, name: '', type }
    for (let index = 0; index < names.length; index++) {
      if (values[index] === null) continue
      key.name = names[index]!
      visit(key, values[index], samples)
    }
  }
}

function requireSeriesNumber(registry: SeriesRegistry, key: SeriesKey): number {
  const number = seriesNumber(registry, key)
  // The registry is bounded: under load, a series can be evicted between two steps. A retry finds it again.
  if (number === undefined) throw new Error('a series left the registry while it was needed')
  return number
}
