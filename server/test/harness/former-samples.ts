/** Samples as versions before `sample_rows` stored them: a row for each value, in partitions for each tenant and day. */
import type { TestDatabase } from './database.ts'
import { ensureSeries } from '../../src/timeseries/storage/ensure-series.ts'
import { createSeriesRegistry } from '../../src/timeseries/storage/series-registry.ts'
import { listSeriesNamed } from '../../src/timeseries/storage/series.ts'
import type { OwnerType, SeriesType } from '../../src/timeseries/storage/series-key.ts'

export interface FormerSample {
  ownerType: OwnerType
  ownerId: string
  type: SeriesType
  componentId: string
  name: string
  /** Milliseconds since 1970. */
  time: number
  messageId: bigint
  value: unknown
}

/** Of equal samples the first one is stored. Only the first days of March 2026 have partitions of their own. */
export async function storeFormerSamples(
  { pool, db }: Pick<TestDatabase, 'pool' | 'db'>,
  tenantNumber: number,
  samples: FormerSample[],
): Promise<void> {
  for (const table of ['samples', 'samples_other']) {
    const name = `${table}_${tenantNumber}`
    await pool.query(`create table ${name} (like ${table}) partition by range (time)`)
    await pool.query(`create table ${name}_rest partition of ${name} default`)
    await pool.query(`create index on ${name}_rest (time)`)
    await pool.query(`alter table ${table} attach partition ${name} for values in (${tenantNumber})`)
    for (const day of ['01', '02', '03'])
      await pool.query(`create table ${name}_202603${day} partition of ${name}
        for values from ('2026-03-${day}') to ('2026-03-0${Number(day) + 1}')`)
  }
  for (const { value, time, messageId, ownerType, ownerId, type, componentId, name } of samples) {
    const owner = { tenantNumber, ownerType, ownerId }
    await ensureSeries(db, createSeriesRegistry(), [
      { owner, type, componentId, names: [name], values: [value] },
    ])
    const series = (await listSeriesNamed(db, [owner], [name])).find(
      (one) => one.type === type && one.componentId === componentId,
    )!
    const table = typeof value === 'number' ? 'samples' : 'samples_other'
    await pool.query(`insert into ${table} values ($1, $2, $3, $4, $5) on conflict do nothing`, [
      tenantNumber,
      series.number,
      new Date(time),
      messageId,
      typeof value === 'number' ? value : JSON.stringify(value),
    ])
  }
}
