import { expect, test } from 'vitest'
import { testDatabase } from '../../test/harness/database.ts'
import { insertClient, storeSamples } from '../../test/harness/telemetry.ts'
import { timeseriesApi } from '../../test/harness/timeseries-api.ts'
import { MAX_OPEN } from '../database/queries.ts'

test('a median that is refused, because too many queries are open, does not keep later ones waiting', async () => {
  await using database = await testDatabase()
  const api = timeseriesApi(database)
  const owner = await insertClient(database, 'a', 'pump')
  const time = Date.parse('2026-03-01T10:00:00Z')
  await storeSamples(database, owner, [{ name: 'level', time, value: 4 }])
  const askMedian = () =>
    api.post('a', '/v1/timeseries/get', {
      assetId: 'pump',
      timeseriesName: ['level'],
      searchSpanFrom: '2026-03-01T00:00:00Z',
      searchSpanTo: '2026-03-02T00:00:00Z',
      aggregationType: 'median',
    })
  const open = Array.from({ length: MAX_OPEN }, () => api.queries.open('a'))
  expect((await askMedian()).status).toBe(429)
  for (const query of open) query[Symbol.dispose]()
  expect(await askMedian()).toMatchObject({ status: 200, body: { items: [{ items: [{ value: 4 }] }] } })
})
