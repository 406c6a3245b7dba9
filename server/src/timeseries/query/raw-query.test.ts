/** The historical query without aggregation, over HTTP. [docs/telemetry#queries] */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { testLog } from '../../../test/harness/log.ts'
import { insertClient, storeSamples } from '../../../test/harness/telemetry.ts'
import { type TimeseriesApi, timeseriesApi } from '../../../test/harness/timeseries-api.ts'
import { jsonPoints } from './point-format.ts'
import { PAGE_SIZE, samplePages } from './raw.ts'
import { packSamples } from '../storage/packed/pack-samples.ts'
import type { Owner } from '../storage/series-key.ts'
import { listSeriesNamed } from '../storage/series.ts'

let database: TestDatabase
let api: TimeseriesApi
let pump: Owner
beforeAll(async () => {
  database = await testDatabase()
  api = timeseriesApi(database)
  pump = await insertClient(database, 'a', 'pump-7')
})
afterAll(() => database[Symbol.asyncDispose]())

const span = { searchSpanFrom: '2026-03-01T00:00:00Z', searchSpanTo: '2026-03-02T00:00:00Z' }
const get = (body: object, headers?: Record<string, string>) =>
  api.post('a', '/v1/timeseries/get', { assetId: 'pump-7', ...span, ...body }, headers)

test('answers samples in time order', async () => {
  await storeSamples(database, pump, [
    { name: 'temperature', time: '2026-03-01T10:00:00Z', value: 21.5 },
    { name: 'temperature', time: '2026-03-01T09:00:00.123Z', value: 20 },
    { name: 'temperature', time: '2026-03-01T11:00:00Z', value: -1e-7 },
  ])
  const { status, body } = await get({ timeseriesName: ['temperature'] })
  expect(status).toBe(200)
  expect(body).toEqual({
    items: [
      {
        name: 'temperature',
        signalId: 'pump-7/-/telemetry/temperature',
        items: [
          { value: 20, timestamp: '2026-03-01T09:00:00.123Z' },
          { value: 21.5, timestamp: '2026-03-01T10:00:00.000Z' },
          { value: -1e-7, timestamp: '2026-03-01T11:00:00.000Z' },
        ],
        queryResultLimitReached: null,
      },
    ],
    aggregation: '',
    time_bucket: '',
  })
})

test('the text of an answer is compact JSON with its fields in a fixed order', async () => {
  const time = '2026-03-01T10:00:00.070Z'
  await storeSamples(database, pump, [
    { name: 'text', time, value: 1e21, messageId: 1n },
    { name: 'text', time, value: { b: [1.5, null], a: 'ü"' }, messageId: 2n },
  ])
  const response = await api.send('a', '/v1/timeseries/get', {
    assetId: 'pump-7',
    ...span,
    timeseriesName: ['text'],
  })
  expect(await response.text()).toBe(
    '{"items":[{"name":"text","signalId":"pump-7/-/telemetry/text","items":[' +
      `{"value":1e+21,"timestamp":"${time}"},{"value":{"a":"ü\\"","b":[1.5,null]},"timestamp":"${time}"}` +
      '],"queryResultLimitReached":null}],"aggregation":"","time_bucket":""}',
  )
})

test('values of every type are returned unchanged, in one order with numbers', async () => {
  const values = [
    1,
    'two',
    true,
    false,
    { a: [null, '"'] },
    [],
    12345678901234567890n.toString(),
    'ünï\n"\\',
    0.1,
  ]
  const start = Date.parse('2026-03-01T00:00:00Z')
  await storeSamples(
    database,
    pump,
    values.map((value, index) => ({ name: 'mixed', time: start + index, value })),
  )
  const { body } = await get({ timeseriesName: ['mixed'] })
  expect(body.items[0].items.map((item: { value: unknown }) => item.value)).toEqual(values)
})

test('the span includes its start and excludes its end', async () => {
  await storeSamples(database, pump, [
    { name: 'edge', time: '2026-02-28T23:59:59.999Z', value: 1 },
    { name: 'edge', time: '2026-03-01T00:00:00Z', value: 2 },
    { name: 'edge', time: '2026-03-01T23:59:59.999Z', value: 3 },
    { name: 'edge', time: '2026-03-02T00:00:00Z', value: 4 },
  ])
  const { body } = await get({ timeseriesName: ['edge'] })
  expect(body.items[0].items.map((item: { value: unknown }) => item.value)).toEqual([2, 3])
  const empty = await get({ timeseriesName: ['edge'], searchSpanTo: span.searchSpanFrom })
  expect(empty.body.items[0].items).toEqual([])
})

test('a name has an item for each component and type; an unknown name has an empty item', async () => {
  const time = '2026-03-01T10:00:00Z'
  await storeSamples(database, pump, [
    { name: 'speed', time, value: 1, componentId: 'motor' },
    { name: 'speed', time, value: 2 },
    { name: 'speed', time, value: 3, type: 'propertyReported' },
  ])
  const { body } = await get({ timeseriesName: ['nothing', 'speed', 'speed'] })
  expect(
    body.items.map((item: { signalId: string; items: object[] }) => [item.signalId, item.items.length]),
  ).toEqual([
    ['pump-7/-/telemetry/nothing', 0],
    ['pump-7/-/telemetry/speed', 1],
    ['pump-7/-/property/speed', 1],
    ['pump-7/motor/telemetry/speed', 1],
  ])
})

test('samples from year 1 to year 9999 are read in pages', async () => {
  const times = [
    '0001-01-01T00:00:00.000Z',
    '1969-07-20T20:17:40.000Z',
    '2026-03-01T10:00:00.000Z',
    '9999-12-31T23:59:59.998Z',
  ]
  await storeSamples(
    database,
    pump,
    times.map((time) => ({ name: 'ages', time, value: time })),
  )
  const { body } = await get({
    timeseriesName: ['ages'],
    searchSpanFrom: '0001-01-01T00:00:00Z',
    searchSpanTo: '9999-12-31T23:59:59.999Z',
  })
  expect(body.items[0].items).toEqual(times.map((time) => ({ value: time, timestamp: time })))
})

describe('many samples', () => {
  const count = 100_003
  const start = Date.parse('2026-03-01T00:00:00Z')

  beforeAll(async () => {
    // Several samples a moment, across the two tables, so that pages end between equal times.
    const samples = Array.from({ length: count }, (_, index) => ({
      name: 'many',
      time: start + Math.floor(index / 3) * 1000,
      value: index % 10 === 0 ? String(index) : index,
      messageId: BigInt(index),
    }))
    await storeSamples(database, pump, samples)
  })

  test('are truncated at the limit, which the answer states', async () => {
    const { body } = await get({ timeseriesName: ['many', 'temperature'] })
    expect(body.items[0].queryResultLimitReached).toEqual({ resultLimit: 100_000 })
    expect(body.items[0].items).toHaveLength(100_000)
    expect(
      body.items[0].items.every(({ value }: { value: unknown }, index: number) => Number(value) === index),
    ).toBe(true)
    expect(body.items[1].queryResultLimitReached).toBeNull()
  })

  test('are complete exactly at the limit', async () => {
    const { body } = await get({ timeseriesName: ['many'], whereClause: 'value not in (1, 2, 3)' })
    expect(body.items[0].items).toHaveLength(100_000)
    expect(body.items[0].queryResultLimitReached).toBeNull()
  })

  test('are read a page at a time', async () => {
    const [series] = await listSeriesNamed(database.db, [pump], ['many'])
    let largest = 0
    let seen = 0
    const all = { modelId: null, series: series!, from: start, to: start + 86_400_000 * 30 }
    for await (const page of samplePages(database.db, all, { format: jsonPoints(), limit: Infinity })) {
      largest = Math.max(largest, page.count)
      seen += page.count
    }
    expect(seen).toBe(count)
    expect(largest).toBeLessThanOrEqual(PAGE_SIZE)
  })
})

test('a number and a text of one moment are each returned once, even if a page ends between them', async () => {
  const start = Date.parse('2026-03-01T00:00:00Z')
  const sample = (index: number, value: unknown, messageId = index) => ({
    name: 'pageEdge',
    time: start + index,
    value,
    messageId: BigInt(messageId) + 10_000_000n,
  })
  // The last number of the first page has the moment of the first text of the next one.
  const numbers = Array.from({ length: PAGE_SIZE }, (_, index) => sample(index, index))
  await storeSamples(database, pump, [...numbers, sample(PAGE_SIZE, 'last')])
  await storeSamples(database, pump, [sample(PAGE_SIZE - 1, 'between', PAGE_SIZE)])
  const { body } = await get({ timeseriesName: ['pageEdge'] })
  const values = body.items[0].items.map(({ value }: { value: unknown }) => value)
  expect(values.slice(PAGE_SIZE - 2)).toEqual([PAGE_SIZE - 2, PAGE_SIZE - 1, 'between', 'last'])
  expect(values).toHaveLength(PAGE_SIZE + 2)
})

test('a piece that has nothing for the query does not bring rows before the samples of later pieces', async () => {
  const sample = (time: string, name: string, value: number) => ({
    name,
    value,
    time: `2026-02-0${time}:00:00Z`,
  })
  await storeSamples(database, pump, [sample('1T08', 'early', 0), sample('1T20', 'other', 0)])
  await storeSamples(database, pump, [sample('2T09', 'early', 1)])
  await packSamples({ ...database, log: testLog }, { nowMs: Date.parse('2026-02-05T00:00:00Z') })
  await storeSamples(database, pump, [sample('2T10', 'early', 2)])
  const { body } = await get({
    timeseriesName: ['early'],
    searchSpanFrom: '2026-02-01T12:00:00Z',
    searchSpanTo: '2026-02-03T00:00:00Z',
  })
  expect(body.items[0].items.map(({ value }: { value: number }) => value)).toEqual([1, 2])
})

test('large objects are read in small pages', async () => {
  const noise = () => Array.from({ length: 30_000 }, () => Math.random()).join()
  const start = Date.parse('2026-03-01T00:00:00Z')
  await storeSamples(
    database,
    pump,
    Array.from({ length: 10 }, (_, index) => ({
      name: 'large',
      time: start + index,
      value: { index, noise: noise() },
    })),
  )
  const [series] = await listSeriesNamed(database.db, [pump], ['large'])
  const pages: number[] = []
  const all = { modelId: null, series: series!, from: start, to: start + 1000 }
  for await (const page of samplePages(database.db, all, { format: jsonPoints(), limit: Infinity }))
    pages.push(page.count)
  expect(pages.reduce((sum, length) => sum + length, 0)).toBe(10)
  expect(Math.max(...pages)).toBeLessThan(10)
  const { body } = await get({
    timeseriesName: ['large'],
    aggregationType: 'last',
    aggregationInterval: 'PT0.001S',
  })
  expect(body.items[0].items.map(({ value }: { value: { index: number } }) => value.index)).toEqual([
    ...Array(10).keys(),
  ])
})

test('filters by every column', async () => {
  const time = '2026-03-01T10:00:00Z'
  await storeSamples(database, pump, [
    { name: 'filtered', time, value: 1, messageId: 41n },
    { name: 'filtered', time, value: 2, messageId: 42n, componentId: 'motor' },
    { name: 'filtered', time: '2026-03-01T11:00:00Z', value: 'on', messageId: 43n },
    { name: 'filtered', time, value: true, messageId: 44n, type: 'propertyReported' },
  ])
  const found = async (whereClause: string) => {
    const { body } = await get({ timeseriesName: ['filtered'], whereClause })
    return body.items.flatMap(({ items }: { items: { value: unknown }[] }) => items.map(({ value }) => value))
  }
  expect(await found("time > TIMESTAMP '2026-03-01T10:30:00Z'")).toEqual(['on'])
  expect(await found("assetid = 'pump-7'")).toHaveLength(4)
  expect(await found("assetid = 'pump-8'")).toEqual([])
  expect(await found("componentid = 'motor'")).toEqual([2])
  expect(await found('componentid is null')).toHaveLength(3)
  expect(await found("timeseries_name like 'fil%'")).toHaveLength(4)
  expect(await found("timeseries_type = 'propertyReported'")).toEqual([true])
  expect(await found('modelid is not null')).toEqual([])
  expect(await found("messageid in ('41', '43')")).toEqual([1, 'on'])
  expect(await found('value >= 2')).toEqual([2])
  expect(await found("value = 'on' or value = true")).toEqual(['on', true])
  expect(await found("not (value = 'on')")).toEqual([1, true, 2])
})

test('an invalid clause is refused with its position, and is not executed', async () => {
  const { status, body } = await get({
    timeseriesName: ['temperature'],
    whereClause: "value = ''; drop table samples; --'",
  })
  expect(status).toBe(400)
  expect(body).toMatchObject({ error: 'validation_error', details: { issues: [{ path: 'whereClause' }] } })
  expect(body.message).toContain('at character 11: expected')
  const long = await get({
    timeseriesName: ['temperature'],
    whereClause: `value = '${"''".repeat(400_000)}'`,
  })
  expect(long.status).toBe(400)
  await sql`select from samples limit 1`.execute(database.db)
})

test.each([
  [{ searchSpanFrom: 'yesterday' }, 'searchSpanFrom'],
  [{ searchSpanFrom: '2026-04-01T00:00:00Z' }, 'searchSpanTo'],
  [{ searchSpanTo: '2026-02-30T00:00:00Z' }, 'searchSpanTo'],
  [{ timeseriesName: [] }, 'timeseriesName'],
  [{ timeseriesName: 'temperature' }, 'timeseriesName'],
  [{ timeseriesName: Array.from({ length: 101 }, (_, index) => `s${index}`) }, 'timeseriesName'],
  [{ aggregationType: 'mode' }, 'aggregationType'],
  [{ aggregationInterval: '1h' }, 'aggregationInterval'],
  [{ aggregationInterval: 'P1MT1H' }, 'aggregationInterval'],
  [{ aggregationInterval: 'PT0S' }, 'aggregationInterval'],
  [{ aggregationInterval: 'P1D', timeZone: 'Mars/Olympus' }, 'timeZone'],
  [{ aggregationInterval: 'P1D', timeZone: '+02:00' }, 'timeZone'],
  [{ aggregationInterval: 'P1D', timeZone: "UTC'; drop" }, 'timeZone'],
])('refuses %j', async (wrong, field) => {
  const { status, body } = await get({ timeseriesName: ['temperature'], ...wrong })
  expect(status).toBe(400)
  expect(body.details.issues[0].path).toBe(field)
})

test("an unknown asset and another tenant's have the same answer", async () => {
  await insertClient(database, 'b', 'pump-8')
  const answers = await Promise.all(
    [
      ['a', 'pump-8'],
      ['a', 'nothing'],
      ['b', 'pump-7'],
    ].map(([tenant, assetId]) =>
      api.post(tenant!, '/v1/timeseries/get', { assetId, ...span, timeseriesName: ['temperature'] }),
    ),
  )
  for (const { status, body } of answers) {
    expect(status).toBe(404)
    expect(body.error).toBe('not_found')
  }
})
