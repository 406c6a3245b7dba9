/** Many series of one answer are read together, with the same result as each for itself. [docs/telemetry#queries] */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { recordStatements } from '../../../test/harness/executed-statements.ts'
import { storeFormerSamples } from '../../../test/harness/former-samples.ts'
import { testLog as log } from '../../../test/harness/log.ts'
import { insertClient, storeSamples, type TestSample } from '../../../test/harness/telemetry.ts'
import { timeseriesApi, type TimeseriesApi } from '../../../test/harness/timeseries-api.ts'
import { aggregationTypes } from '../../lib/aggregation-types.ts'
import { packSamples } from '../storage/packed/pack-samples.ts'

const start = Date.parse('2026-03-02T06:00:00Z')
const hostile = `<img onerror=1> "' \u202e 🌡`
/** More samples than are read together. */
const MANY = 2001

let database: TestDatabase
let api: TimeseriesApi
beforeAll(async () => {
  database = await testDatabase()
  api = timeseriesApi(database)
  const packed = await insertClient(database, 'a', 'packed')
  await storeSamples(database, packed, listPlain('2026-03-02T07:00:00Z'))
  await packSamples({ ...database, log })
  // Both are in the span: packed samples, and rows of the same series that came later.
  await storeSamples(database, packed, listPlain('2026-03-02T08:00:00Z'))
  const plain = await insertClient(database, 'a', 'plain')
  await storeSamples(database, plain, [...listPlain('2026-03-02T06:00:00Z'), ...listOthers()])
  const former = await insertClient(database, 'a', 'former')
  await storeSamples(database, former, listPlain('2026-03-02T06:30:00Z'))
  const old = { ownerType: 'client', ownerId: 'former', type: 'telemetry', componentId: '' } as const
  await storeFormerSamples(database, former.tenantNumber, [
    { ...old, name: 'number', time: start + 5, messageId: 1n, value: 41.5 },
    { ...old, name: 'text', time: start + 6, messageId: 2n, value: 'old' },
  ])
  await insertClient(database, 'a', 'silent')
  const names = Array.from({ length: 100 }, (_, index) => `signal ${index}`)
  for (const id of ['one', 'two'])
    await storeSamples(
      database,
      await insertClient(database, 'a', id),
      names.map((name) => ({ name, time: start, value: 1, messageId: 7n })),
    )
})
afterAll(() => database[Symbol.asyncDispose]())

/** Samples around the bounds of the span, with equal times. */
const listPlain = (from: string): TestSample[] =>
  [-1, 0, 1, 1, 60_000, 7_200_000].flatMap((ms, index) => {
    const time = Date.parse(from) + ms
    return [
      { name: 'number', time, value: index / 3 },
      { name: 'boolean', time, value: index % 2 === 0 },
      { name: 'text', time, value: `${hostile} ${index}` },
      { name: 'text', time, value: `${index}`, componentId: 'motor' },
      { name: 'mixed', time, value: index % 2 === 0 ? { a: [index] } : -index },
    ]
  })

const listOthers = (): TestSample[] => [
  ...Array.from({ length: 3 }, (_, index) => ({
    name: 'large',
    time: start + index,
    value: randomBytes(60_000).toString('hex'),
  })),
  ...Array.from({ length: MANY }, (_, index) => ({
    name: 'many',
    time: start + 1000 + index,
    value: index,
    messageId: 9n,
  })),
]

const names = ['number', 'boolean', 'text', 'mixed', 'large', 'many', 'nothing']
const owners = ['plain', 'packed', 'former', 'silent']
const hours = { searchSpanFrom: '2026-03-02T06:00:00Z', searchSpanTo: '2026-03-02T08:00:00.001Z' }
const day = { searchSpanFrom: '2026-03-01T00:00:00Z', searchSpanTo: '2026-03-04T00:00:00Z' }

async function query(request: object) {
  const answer = await api.post('a', '/v1/timeseries/get', request)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body.items as { signalId: string; items: unknown[] }[]
}

/** Each name of each owner in a request of its own. */
async function queryAlone(request: object) {
  const found = []
  for (const assetId of owners)
    for (const name of names) found.push(...(await query({ ...request, assetId, timeseriesName: [name] })))
  return found
}

const kinds: [string, object][] = [
  ['samples', {}],
  ...aggregationTypes.map((type): [string, object] => [
    type,
    { aggregationType: type, aggregationInterval: 'PT1M' },
  ]),
  ['several aggregations', { aggregationTypes: ['avg', 'min', 'max', 'last'], aggregationInterval: 'PT1H' }],
  ['one bucket', { aggregationTypes: [...aggregationTypes] }],
  ['days of a zone', { aggregationType: 'sum', aggregationInterval: 'P1D', timeZone: 'Asia/Kathmandu' }],
  ['a filter', { whereClause: "timeseries_name <> 'many' and messageid <> 'x'" }],
]
test.each(kinds)('%s of many series are those of each', async (_what, fields) => {
  for (const span of [hours, day]) {
    const together = await query({ ...span, ...fields, assetIds: owners, timeseriesName: names })
    expect(together.some(({ items }) => items.length > 0)).toBe(true)
    expect(together).toEqual(await queryAlone({ ...span, ...fields }))
  }
})

test('two hundred series take a few statements, and CSV has the same samples', async () => {
  const signals = Array.from({ length: 100 }, (_, index) => `signal ${index}`)
  const request = { ...hours, assetIds: ['one', 'two'], timeseriesName: signals }
  using recorder = recordStatements()
  const found = await query({ ...request, aggregationType: 'avg', aggregationInterval: 'PT1M' })
  expect(found.map(({ items }) => items)).toEqual(
    found.map(() => [{ value: 1, timestamp: '2026-03-02T06:00:00.000Z' }]),
  )
  expect(found).toHaveLength(200)
  expect(recorder.count).toBeLessThan(50)
  const { body } = await api.post('a', '/v1/timeseries/get', request, { accept: 'text/csv' })
  expect(body.trim().split('\n')).toHaveLength(201)
})
