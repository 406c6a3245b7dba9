/** The newest value of each series. [docs/telemetry#latest-values] */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { insertClient, storeSamples, type TestSample } from '../../../test/harness/telemetry.ts'
import { type TimeseriesApi, timeseriesApi } from '../../../test/harness/timeseries-api.ts'
import { latestSamples } from './latest.ts'
import { DAY_MS, dayDigits, dayNumber } from '../storage/partition-names.ts'
import type { Owner } from '../storage/series-key.ts'
import { listSeriesNamed, type Series } from '../storage/series.ts'

let database: TestDatabase
let api: TimeseriesApi
let pump: Owner
beforeAll(async () => {
  database = await testDatabase()
  api = timeseriesApi(database)
  pump = await insertClient(database, 'a', 'pump')
})
afterAll(() => database[Symbol.asyncDispose]())

const now = Date.now()
const last = (items: object[], tenantId = 'a') => api.post(tenantId, '/v1/timeseries/get/last', { items })
const signals = (...names: string[]) => names.map((name) => ({ name, type: 'telemetry' }))
const ask = async (...names: string[]) =>
  (await last([{ assetId: 'pump', componentId: null, timeseries: signals(...names) }])).body.items
const store = (...samples: TestSample[]) => storeSamples(database, pump, samples)

test('answers in the order of the request', async () => {
  await store(
    { name: 'temperature', time: now - 1000, value: 20 },
    { name: 'temperature', time: now, value: 21.5 },
    { name: 'state', time: now, value: { on: true }, componentId: 'motor' },
    { name: 'firmware', time: now, value: '1.0', type: 'propertyReported' },
  )
  const { status, body } = await last([
    { assetId: 'pump', componentId: 'motor', timeseries: signals('state') },
    {
      assetId: 'pump',
      componentId: null,
      timeseries: [
        { name: 'firmware', type: 'propertyReported' },
        ...signals('temperature', 'nothing', 'state'),
      ],
    },
  ])
  const time = new Date(now).toISOString()
  expect(status).toBe(200)
  expect(body).toEqual({
    items: [
      {
        time,
        assetId: 'pump',
        componentId: 'motor',
        timeseriesName: 'state',
        timeseriesType: 'telemetry',
        value: { on: true },
      },
      {
        time,
        assetId: 'pump',
        componentId: null,
        timeseriesName: 'firmware',
        timeseriesType: 'propertyReported',
        value: '1.0',
      },
      {
        time,
        assetId: 'pump',
        componentId: null,
        timeseriesName: 'temperature',
        timeseriesType: 'telemetry',
        value: 21.5,
      },
    ],
  })
})

test('answers so many series that several statements search them, also those that are named twice', async () => {
  const names = Array.from({ length: 201 }, (_, index) => `many-${index}`)
  const ids = ['many-a', 'many-b', 'many-c']
  for (const [index, id] of ids.entries()) {
    const owner = await insertClient(database, 'a', id)
    await storeSamples(
      database,
      owner,
      names.map((name, place) => ({ name, time: now, value: place * 10 + index })),
    )
  }
  const asked = [...ids, 'many-a'].map((assetId) => ({
    assetId,
    componentId: null,
    timeseries: signals(...names, 'nothing'),
  }))
  const { body } = await last(asked)
  const found = body.items.map((one: Record<string, unknown>) => [one.assetId, one.timeseriesName, one.value])
  const expected = [0, 1, 2, 0].flatMap((index) =>
    names.map((name, place) => [ids[index], name, place * 10 + index]),
  )
  expect(found).toEqual(expected)
})

test('the newest sample is the one with the latest time, not arrival; of one moment the greater message id, whatever its type', async () => {
  await store({ name: 'late', time: now, value: 1 }, { name: 'late', time: now - DAY_MS, value: 2 })
  await store({ name: 'late', time: now - 5 * DAY_MS, value: 'x' })
  await store(
    { name: 'ties', time: now, value: 1, messageId: 1n },
    { name: 'ties', time: now, value: 'three', messageId: 3n },
    { name: 'ties', time: now, value: 2, messageId: 2n },
  )
  expect((await ask('late', 'ties')).map(({ value }: { value: unknown }) => value)).toEqual([1, 'three'])
})

test('finds old and very old samples, and those of a fast clock', async () => {
  const ages: Record<string, string | number> = {
    yesterday: now - DAY_MS,
    week: now - 7 * DAY_MS,
    month: now - 30 * DAY_MS,
    year: now - 399 * DAY_MS,
    decade: now - 4000 * DAY_MS,
    year1: '0001-01-01T00:00:00Z',
    tomorrow: now + DAY_MS,
    year9999: '9999-12-31T23:59:59.999Z',
  }
  for (const [name, time] of Object.entries(ages))
    await store({ name, time, value: name }, { name, time: '0001-01-01T00:00:00Z', value: 0 })
  // The two of the year 1 have one moment, and the later message is the greater one.
  const found = (await ask(...Object.keys(ages))).map(({ value }: { value: unknown }) => value)
  expect(found).toEqual(Object.keys(ages).map((name) => (name === 'year1' ? 0 : name)))
})

test('without an asset it answers for every asset of the tenant with the signal', async () => {
  const [second, foreign] = [
    await insertClient(database, 'a', 'b-pump'),
    await insertClient(database, 'b', 'foreign'),
  ]
  for (const owner of [pump, second, foreign])
    await storeSamples(database, owner, [{ name: 'flow', time: now, value: owner.ownerId }])
  const { body } = await last([{ assetId: null, componentId: null, timeseries: signals('flow') }])
  expect(
    body.items.map(({ assetId, value }: { assetId: string; value: unknown }) => [assetId, value]),
  ).toEqual([
    ['b-pump', 'b-pump'],
    ['pump', 'pump'],
  ])
})

describe('refuses', () => {
  test("an unknown asset and another tenant's", async () => {
    for (const [tenantId, assetId] of [
      ['a', 'nothing'],
      ['b', 'pump'],
      ['a', 'foreign'],
    ]) {
      const { status, body } = await last(
        [{ assetId, componentId: null, timeseries: signals('flow') }],
        tenantId,
      )
      expect([status, body.error]).toEqual([404, 'not_found'])
    }
  })

  test('requests for too many series, and for values that are too large together', async () => {
    const many = {
      assetId: 'pump',
      componentId: null,
      timeseries: signals(...Array.from({ length: 1000 }, (_, index) => `s${index}`)),
    }
    const { status, body } = await last(Array.from({ length: 11 }, () => many))
    expect(status).toBe(400)
    expect(body.message).toContain('more than 10000 series')
    const noise = Array.from({ length: 100_000 }, () => Math.random()).join()
    await store(...['l1', 'l2', 'l3'].map((name) => ({ name, time: now, value: noise })))
    const large = await last([{ assetId: 'pump', componentId: null, timeseries: signals('l1', 'l2', 'l3') }])
    expect(large.status).toBe(400)
    expect(large.body.message).toContain('too large together')
  })

  test.each([
    [{ componentId: null, timeseries: [] }],
    [{ assetId: 'pump', timeseries: [] }],
    [{ assetId: 'pump', componentId: null, timeseries: [{ name: 'x' }] }],
    [{ assetId: 'pump', componentId: null, timeseries: [{ name: 'x', type: 'event' }] }],
    [{ assetId: 'pump', componentId: null, timeseries: ['x'] }],
  ])('%j', async (item) => {
    expect((await last([item])).status).toBe(400)
  })
})

test('does not read old partitions if the newest has the answer', async () => {
  const owner = await insertClient(database, 'c', 'many-days')
  const times = Array.from({ length: 40 }, (_, index) => now - index * DAY_MS)
  await storeSamples(database, owner, [
    ...times.map((time) => ({ name: 'busy', time, value: time })),
    { name: 'dead', time: times.at(-1)!, value: 1 },
  ])
  const [busy, dead] = await listSeriesNamed(database.db, [owner], ['busy', 'dead'])
  const threeDaysAgo = `sample_rows_${dayDigits(dayNumber(now) - 3)}`
  // On one connection: each of them reports what it scanned on its own.
  await database.db.connection().execute(async (db) => {
    const countScans = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(db)
      const { rows } = await sql<{ old: number; all: number }>`
        select sum(idx_scan)::int as all, sum(idx_scan) filter (where relname <= ${threeDaysAgo})::int as old
        from pg_stat_user_tables where relname like 'sample_rows_%'`.execute(db)
      return rows[0]!
    }
    const readScans = async (series: Series) => {
      const before = await countScans()
      await latestSamples(db, owner.tenantNumber, [series.number])
      const after = await countScans()
      return { all: after.all - before.all, old: after.old - before.old }
    }
    expect(await readScans(busy!)).toEqual({ all: expect.any(Number), old: 0 })
    const ofDead = await readScans(dead!)
    expect(ofDead.old).toBeGreaterThan(0)
    expect((await readScans(busy!)).all).toBeGreaterThan(0)
  })
})
