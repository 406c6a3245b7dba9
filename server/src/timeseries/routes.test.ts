import { expect, test } from 'vitest'
import { testDatabase } from '../../test/harness/database.ts'
import { insertClient, storeSamples } from '../../test/harness/telemetry.ts'
import { timeseriesApi } from '../../test/harness/timeseries-api.ts'
import { MAX_OPEN, TENANT_SHARE } from '../database/queries.ts'

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

test('a query ends when its caller closes the connection, also while it waits for others', async () => {
  await using database = await testDatabase()
  const api = timeseriesApi(database)
  const owner = await insertClient(database, 'a', 'pump')
  const time = Date.parse('2026-03-01T10:00:00Z')
  await storeSamples(database, owner, [{ name: 'level', time, value: 4 }])
  const holding = Array.from({ length: TENANT_SHARE }, () => api.queries.open('a'))
  let release!: () => void
  const released = new Promise<void>((resolve) => (release = resolve))
  const held = Promise.all(holding.map(({ db }) => db.connection().execute(() => released)))
  const canOpen = (count: number) => {
    const opened = []
    try {
      for (let index = 0; index < count; index++) opened.push(api.queries.open('a'))
      return true
    } catch {
      return false
    } finally {
      for (const query of opened) query[Symbol.dispose]()
    }
  }
  const leaving = new AbortController()
  const body = JSON.stringify({
    assetId: 'pump',
    timeseriesName: ['level'],
    searchSpanFrom: '2026-03-01T00:00:00Z',
    searchSpanTo: '2026-03-02T00:00:00Z',
  })
  const headers = { 'x-tenant': 'a', 'content-type': 'application/json' }
  const url = `${await api.listening}/v1/timeseries/get`
  const answered = fetch(url, { method: 'POST', headers, body, signal: leaving.signal })
  await expect.poll(() => canOpen(MAX_OPEN - TENANT_SHARE), { timeout: 5000 }).toBe(false)
  leaving.abort()
  await expect(answered).rejects.toThrow('abort')
  await expect.poll(() => canOpen(MAX_OPEN - TENANT_SHARE), { timeout: 5000 }).toBe(true)
  release()
  await held
  for (const query of holding) query[Symbol.dispose]()
})
