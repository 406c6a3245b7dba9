/** The export. [docs/telemetry#export] */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { insertClient, storeSamples } from '../../../test/harness/telemetry.ts'
import { timeseriesApi } from '../../../test/harness/timeseries-api.ts'
import type { Owner } from '../storage/series-key.ts'

let database: TestDatabase
let pump: Owner
beforeAll(async () => {
  database = await testDatabase()
  pump = await insertClient(database, 'a', 'pump-7')
})
afterAll(() => database[Symbol.asyncDispose]())

const span = { searchSpanFrom: '2026-03-01T00:00:00Z', searchSpanTo: '2026-03-02T00:00:00Z' }
const csv = async (body: object) => {
  const request = { assetId: 'pump-7', ...span, ...body }
  const answer = await timeseriesApi(database).post('a', '/v1/timeseries/get', request, {
    accept: 'text/csv',
  })
  return { ...answer, lines: (answer.body as string).split('\r\n') }
}

test('has a row for each sample, quoted and safe in a spreadsheet', async () => {
  const values = [
    -1.5,
    '=1+1',
    '-5',
    '@x',
    '+x',
    'plain',
    'a,b',
    'say "hi"',
    'two\nlines',
    true,
    { a: 1 },
    '\t=x',
    '',
  ]
  const start = Date.parse('2026-03-01T12:00:00Z')
  await storeSamples(
    database,
    pump,
    values.map((value, index) => ({ name: 'csv', time: start + index, value, componentId: '=c' })),
  )
  const { status, headers, body } = await csv({ timeseriesName: ['csv'] })
  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain('text/csv')
  const cells = [
    '-1.5',
    "'=1+1",
    "'-5",
    "'@x",
    "'+x",
    'plain',
    '"a,b"',
    '"say ""hi"""',
    '"two\nlines"',
    'true',
    '"{""a"":1}"',
    "'\t=x",
    '',
  ]
  const rows = cells.map(
    (cell, index) => `${new Date(start + index).toISOString()},pump-7,'=c,csv,${cell}\r\n`,
  )
  expect(body).toBe(`time,assetid,componentid,timeseries_name,value\r\n${rows.join('')}`)
})

/** The rule for a text, in JavaScript. */
function writeCell(text: string): string {
  const safe = /^\s*[=+\-@\t\r\n|]/.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

test('texts of any characters are quoted alike, whatever the locale of the database', async () => {
  const start = Date.parse('2026-03-01T13:00:00Z')
  const signs = ['=', '-', '|', '@', '"', ',', "'", '\\', '^', ']', '%', 'é', '😀']
  const spaces =
    ' \t\n\v\f\r\u00a0\u1680\u2000\u2005\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff\u180e\u0085'
  const values = [...signs, ...spaces].flatMap((sign) => [
    sign,
    `${sign}=1`,
    `x${sign}`,
    `x${sign}y`,
    ` ${sign}-`,
    ...[...spaces].map((space) => space + sign),
  ])
  await storeSamples(
    database,
    pump,
    values.map((value, index) => ({ name: 'cells', time: start + index, value })),
  )
  const { body } = await csv({ timeseriesName: ['cells'] })
  const rows = values.map(
    (value, index) => `${new Date(start + index).toISOString()},pump-7,,cells,${writeCell(value)}\r\n`,
  )
  expect(body).toBe(`time,assetid,componentid,timeseries_name,value\r\n${rows.join('')}`)
})

test.each([
  ['application/x-parquet', 406],
  ['image/png, text/html', 406],
  ['image/png, */*;q=0.1', 200],
  ['', 200],
])('Accept: %s is answered with %i', async (accept, status) => {
  const request = { assetId: 'pump-7', ...span, timeseriesName: ['nothing'] }
  const answer = await timeseriesApi(database).post('a', '/v1/timeseries/get', request, { accept })
  expect(answer.status).toBe(status)
  if (status === 406)
    expect(answer.body).toMatchObject({
      error: 'not_acceptable',
      message: expect.stringContaining('application/json, text/csv or application/vnd.apache.parquet'),
    })
})

test.each([
  ['text/csv;q=0, application/json', 'application/json'],
  ['text/csv; Q=0.000, */*', 'application/json'],
  ['application/json, text/csv;q=0.01', 'text/csv'],
])('Accept: %s is answered with %s', async (accept, type) => {
  const request = { assetId: 'pump-7', ...span, timeseriesName: ['nothing'] }
  const { headers } = await timeseriesApi(database).send('a', '/v1/timeseries/get', request, { accept })
  expect(headers.get('content-type')!.split(';')[0]).toBe(type)
})

test('is complete, however long', async () => {
  const start = Date.parse('2026-03-01T00:00:00Z')
  const samples = Array.from({ length: 100_003 }, (_, index) => ({
    name: 'many',
    time: start + index,
    value: index,
  }))
  await storeSamples(database, pump, samples)
  const { lines } = await csv({ timeseriesName: ['many'] })
  expect(lines).toHaveLength(100_003 + 2)
})

test('is complete where long values compress to almost nothing', async () => {
  const start = Date.parse('2026-03-01T00:00:00Z')
  const samples = Array.from({ length: 10 }, (_, index) => ({
    name: 'long',
    time: start + index,
    value: 'a'.repeat(700_000) + index,
  }))
  await storeSamples(database, pump, samples)
  const { lines } = await csv({ timeseriesName: ['long'] })
  expect(lines.slice(1, -1).map((line) => line.at(-1))).toEqual([...'0123456789'])
})

test('has aggregates under their names, and a header even without rows', async () => {
  const time = '2026-03-01T10:00:00Z'
  await storeSamples(
    database,
    pump,
    [20, 21.5].map((value) => ({ name: 'temperature', time, value })),
  )
  const { lines } = await csv({ timeseriesName: ['temperature'], aggregationType: 'max' })
  expect(lines[1]).toBe('2026-03-01T00:00:00.000Z,pump-7,,temperature_max,21.5')
  expect((await csv({ timeseriesName: ['nothing'] })).lines).toEqual([
    'time,assetid,componentid,timeseries_name,value',
    '',
  ])
})
