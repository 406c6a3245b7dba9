/** The export as Parquet. [docs/telemetry#parquet] */
import { randomBytes } from 'node:crypto'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../../test/harness/database.ts'
import { insertClient, storeSamples } from '../../../../test/harness/telemetry.ts'
import { timeseriesApi, type TimeseriesApi } from '../../../../test/harness/timeseries-api.ts'
import type { Owner } from '../../storage/series-key.ts'

let database: TestDatabase
let api: TimeseriesApi
let pump: Owner
beforeAll(async () => {
  database = await testDatabase()
  api = timeseriesApi(database)
  pump = await insertClient(database, 'a', 'pump-7')
})
afterAll(() => database[Symbol.asyncDispose]())

const start = Date.parse('2026-03-01T00:00:00Z')
const span = { searchSpanFrom: '2026-03-01T00:00:00Z', searchSpanTo: '2026-03-02T00:00:00Z' }
const accept = 'application/vnd.apache.parquet'

async function exportFile(body: object): Promise<ArrayBuffer> {
  const request = { assetId: 'pump-7', ...span, ...body }
  const response = await api.send('a', '/v1/timeseries/get', request, { accept })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, accept])
  return response.arrayBuffer()
}

interface Row {
  assetid: string
  componentid: string | null
  timeseries_type: string
  timeseries_name: string
  time: Date
  value: number | null
  value_json: string | null
}

const readRows = async (file: ArrayBuffer) => (await parquetReadObjects({ file })) as unknown as Row[]

const readValue = ({ value, value_json: text }: Row): unknown => value ?? (JSON.parse(text!) as unknown)

test('has every value with its type, in typed columns', async () => {
  const values = [
    1.5,
    -0,
    1e308,
    5e-324,
    9007199254740991,
    true,
    false,
    '',
    'ä"\n😀',
    'null',
    { a: [1] },
    [],
    {},
  ]
  await storeSamples(
    database,
    pump,
    values.map((value, index) => ({ name: 'mixed', time: start + index, value, componentId: 'motor' })),
  )
  const rows = await readRows(await exportFile({ timeseriesName: ['mixed'] }))
  expect(rows.map(readValue)).toEqual(values)
  expect(rows.map(({ time }) => time.getTime())).toEqual(values.map((_, index) => start + index))
  expect(rows[0]).toEqual({
    assetid: 'pump-7',
    componentid: 'motor',
    timeseries_type: 'telemetry',
    timeseries_name: 'mixed',
    time: new Date(start),
    value: 1.5,
    value_json: null,
  })
})

test('objects keep their stored text, including integers that a double cannot represent', async () => {
  await storeSamples(database, pump, [{ name: 'exact', time: start, value: { id: 1 } }])
  await database.pool
    .query(`update sample_rows set others = replace(others::text, '1}', '12345678901234567890}')::jsonb
    where others::text like '%"id": 1}%'`)
  const [row] = await readRows(await exportFile({ timeseriesName: ['exact'] }))
  expect(row!.value_json).toBe('{"id":12345678901234567890}')
})

test('a hostile signal name changes no column', async () => {
  const names = ['time', 'value; drop table', '"', '__proto__', 'a.b', '😀', ' '.repeat(256)]
  await storeSamples(
    database,
    pump,
    names.map((name, index) => ({ name, time: start, value: index, type: 'propertyReported' as const })),
  )
  const file = await exportFile({ timeseriesName: names })
  const rows = await readRows(file)
  expect(rows.map((row) => [row.timeseries_name, row.timeseries_type, row.value])).toEqual(
    names.map((name, index) => [name, 'propertyReported', index]),
  )
  expect(parquetMetadata(file).schema.map(({ name }) => name)).toEqual([
    'samples',
    'assetid',
    'componentid',
    'timeseries_type',
    'timeseries_name',
    'time',
    'value',
    'value_json',
  ])
})

test('has aggregates under their names', async () => {
  await storeSamples(
    database,
    pump,
    [20, 21.5].map((value, index) => ({ name: 'temperature', time: start + index, value })),
  )
  const rows = await readRows(
    await exportFile({ timeseriesName: ['temperature'], aggregationTypes: ['min', 'max'] }),
  )
  expect(rows.map((row) => [row.timeseries_name, row.value])).toEqual([
    ['temperature_min', 20],
    ['temperature_max', 21.5],
  ])
})

test('is a valid file even without rows', async () => {
  expect(await readRows(await exportFile({ timeseriesName: ['nothing'] }))).toEqual([])
})

describe('many rows', () => {
  const count = 100_003
  beforeAll(async () => {
    const samples = Array.from({ length: count }, (_, index) => ({
      name: 'many',
      time: start + index,
      value: index % 10 === 9 ? `text ${index}` : index / 7,
    }))
    await storeSamples(database, pump, samples)
  })

  test('are complete, in several groups', async () => {
    const file = await exportFile({ timeseriesName: ['many'] })
    const rows = await readRows(file)
    expect(rows.map(({ time }) => time.getTime() - start)).toEqual(Array.from({ length: count }, (_, i) => i))
    expect(rows[100_002]!.value).toBe(100_002 / 7)
    expect(rows[99_999]!.value_json).toBe('"text 99999"')
    const sizes = parquetMetadata(file).row_groups.map((group) => Number(group.num_rows))
    expect(sizes.length).toBeGreaterThanOrEqual(4)
    expect(Math.max(...sizes)).toBeLessThan(31_000)
  })
})

describe('large texts', () => {
  const values = Array.from({ length: 14 }, (_, index) => `${index} ${randomBytes(350_000).toString('hex')}`)
  beforeAll(async () => {
    await storeSamples(
      database,
      pump,
      values.map((value, index) => ({ name: 'large', time: start + index, value })),
    )
  })

  test('are written in small groups', async () => {
    const file = await exportFile({ timeseriesName: ['large'] })
    expect((await readRows(file)).map(readValue)).toEqual(values)
    expect(parquetMetadata(file).row_groups.length).toBeGreaterThan(3)
  })

  test('a reader that pauses holds no connection, delays no other query, and gets everything', async () => {
    await insertClient(database, 'b', 'pump-7')
    const request = { assetId: 'pump-7', ...span, timeseriesName: ['large'] }
    const stopped = await Promise.all(
      Array.from({ length: 3 }, () => api.send('a', '/v1/timeseries/get', request, { accept })),
    )
    await expect.poll(countBusy).toBe(0)
    const other = { ...request, timeseriesName: ['nothing'] }
    expect((await api.post('b', '/v1/timeseries/get', other, { accept })).status).toBe(200)
    expect(await readRows(await stopped[0]!.arrayBuffer())).toHaveLength(values.length)
    await Promise.all(stopped.slice(1).map((response) => response.body!.cancel()))
  })

  /** Counts connections that run a statement of a query or hold a transaction open. */
  async function countBusy(): Promise<number> {
    const { rows } = await database.pool.query<{ count: number }>(`
      select count(*)::int as count from pg_stat_activity where datname = current_database()
        and application_name = 'gangway queries' and (state <> 'idle' or xact_start is not null)`)
    return rows[0]!.count
  }
})

test('a failure before the first rows is answered as an error', async () => {
  const request = { assetId: 'pump-7', ...span, timeseriesName: ['many'], timeZone: 'Nowhere/City' }
  const answer = await api.post('a', '/v1/timeseries/get', request, { accept })
  expect([answer.status, answer.body.error]).toEqual([400, 'validation_error'])
})
