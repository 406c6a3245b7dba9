/** Samples in a test's database, stored the way ingest stores them. */
import type { TestDatabase } from './database.ts'
import { appendSamples } from '../../src/timeseries/append.ts'
import { createPartitions, ensurePartitions } from '../../src/timeseries/ensure-partitions.ts'
import { emptySampleBatch } from '../../src/timeseries/sample-batch.ts'
import { createSeriesRegistry, seriesNumber } from '../../src/timeseries/series-registry.ts'
import { ensureSeries, type Owner, type SeriesType } from '../../src/timeseries/series.ts'

export interface TestSample {
  name: string
  /** ISO 8601, or milliseconds since 1970. */
  time: string | number
  value: unknown
  /** A new one each, where absent. */
  messageId?: bigint | string
  componentId?: string
  type?: SeriesType
}

let messages = 0n

export async function insertTenant({ db }: Pick<TestDatabase, 'db'>, id: string): Promise<number> {
  const { number } = await db
    .insertInto('tenants')
    .values({ id, display_name: id, privileges: [] })
    .returning('number')
    .executeTakeFirstOrThrow()
  return number
}

export async function storeSamples(
  { pool, db }: Pick<TestDatabase, 'pool' | 'db'>,
  owner: Owner,
  samples: TestSample[],
) {
  const keys = samples.map(({ name, componentId = '', type = 'telemetry' }) => ({
    ...owner,
    name,
    componentId,
    type,
  }))
  const registry = createSeriesRegistry()
  await ensureSeries(db, registry, keys)
  const batch = emptySampleBatch()
  samples.forEach((sample, index) => {
    batch.tenantNumber.push(owner.tenantNumber)
    batch.seriesNumber.push(seriesNumber(registry, keys[index]!)!)
    batch.time.push(typeof sample.time === 'number' ? sample.time : Date.parse(sample.time))
    batch.messageId.push(sample.messageId ?? ++messages)
    batch.value.push(sample.value)
  })
  await ensurePartitions(pool, createPartitions(), batch)
  return db.transaction().execute((tx) => appendSamples(tx, batch))
}
