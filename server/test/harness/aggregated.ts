/** Signals of one asset and their aggregations. */
import { expect } from 'vitest'
import type { TestDatabase } from './database.ts'
import { insertClient, storeSamples } from './telemetry.ts'
import { timeseriesApi } from './timeseries-api.ts'

export type Entry = [time: string | number, value: unknown]

const wide = { searchSpanFrom: '0001-01-01T00:00:00Z', searchSpanTo: '9999-12-31T23:59:59.999Z' }

/** @param database in which there is no tenant `a` yet */
export async function aggregated(database: TestDatabase) {
  const api = timeseriesApi(database)
  const owner = await insertClient(database, 'a', 'pump')
  let signals = 0

  async function get(name: string, body: object) {
    const request = { assetId: 'pump', ...wide, timeseriesName: [name], ...body }
    const answer = await api.post('a', '/v1/timeseries/get', request)
    expect(answer).toMatchObject({ status: 200 })
    return answer.body
  }

  return {
    api,
    owner,
    get,
    /** A new signal with these samples. */
    async signal(...entries: Entry[]): Promise<string> {
      const name = `s${++signals}`
      const samples = entries.map(([time, value]) => ({ name, time, value }))
      await storeSamples(database, owner, samples)
      return name
    },
    /** `[timestamp, value]` of each bucket; `.000Z` is written `Z`. */
    async buckets(name: string, body: object): Promise<[string, unknown][]> {
      const { items } = await get(name, body)
      return items[0].items.map(({ timestamp, value }: { timestamp: string; value: unknown }) => [
        timestamp.replace('.000Z', 'Z'),
        value,
      ])
    },
  }
}
