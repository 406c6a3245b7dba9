/** Aggregations over HTTP: every type on every kind of value, and how many buckets there may be. [docs/telemetry#aggregations] */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aggregated, type Entry } from '../../../test/harness/aggregated.ts'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { storeSamples } from '../../../test/harness/telemetry.ts'
import { aggregationTypes, type AggregationType } from '../../lib/aggregation-types.ts'
import { bucketPages } from './aggregate.ts'
import type { Page } from './page.ts'
import { DAY_MS } from '../storage/partition-names.ts'
import { readPoints, timedValues } from './point-format.ts'
import { samplePages } from './raw.ts'
import { listSeriesNamed } from '../storage/series.ts'

let database: TestDatabase
let asset: Awaited<ReturnType<typeof aggregated>>
beforeAll(async () => {
  database = await testDatabase()
  asset = await aggregated(database)
})
afterAll(() => database[Symbol.asyncDispose]())

const span = { searchSpanFrom: '2026-03-01T00:00:00Z', searchSpanTo: '2026-03-02T00:00:00Z' }

describe('each type applies to its kinds of value', () => {
  const hour = (values: unknown[]): Entry[] =>
    values.map((value, index) => [`2026-03-01T10:0${index}:00Z`, value])
  /** A type without a value does not apply. */
  const cases: [string, unknown[], Partial<Record<AggregationType, unknown>>][] = [
    ['numbers', [4, 1, 2, 9], { avg: 4, min: 1, max: 9, first: 4, last: 9, sum: 16, median: 3 }],
    ['booleans', [true, false, true, true], { avg: 0.75, first: true, last: true, sum: 3, median: 1 }],
    ['strings', ['b', 'a', 'ä', 'Z'], { min: 'Z', max: 'ä', first: 'b', last: 'Z' }],
    ['objects', [{ a: 1 }, { b: [2] }], { first: { a: 1 }, last: { b: [2] } }],
    ['a mixture', ['x', 3, true, [1]], { avg: 2, min: 3, max: 3, first: 'x', last: [1], sum: 4, median: 2 }],
    ['nothing', [], {}],
  ]
  test.each(cases)('%s', async (_kind, values, wanted) => {
    const name = await asset.signal(...hour(values))
    for (const type of aggregationTypes) {
      const value = wanted[type]
      const expected = value === undefined ? [] : [['2026-03-01T10:00:00Z', value]]
      const perHour = await asset.buckets(name, {
        ...span,
        aggregationType: type,
        aggregationInterval: 'PT1H',
      })
      expect([type, perHour]).toEqual([type, expected])
      const whole = value === undefined ? [] : [['2026-03-01T00:00:00Z', value]]
      expect([type, await asset.buckets(name, { ...span, aggregationType: type })]).toEqual([type, whole])
    }
  })
})

test('the name has the type as its suffix, and the answer names the aggregation', async () => {
  const name = await asset.signal(['2026-03-01T10:00:00Z', 1])
  expect(
    await asset.get(name, { ...span, aggregationType: 'median', aggregationInterval: 'PT15M' }),
  ).toMatchObject({
    items: [{ name: `${name}_median`, signalId: `pump/-/telemetry/${name}` }],
    aggregation: 'median',
    time_bucket: 'PT15M',
  })
  expect(await asset.get(name, { ...span, aggregationInterval: 'P1D' })).toMatchObject({
    items: [{ name: `${name}_avg` }],
    aggregation: 'avg',
    time_bucket: 'P1D',
  })
  expect(await asset.get(name, { ...span, aggregationType: 'sum' })).toMatchObject({
    aggregation: 'sum',
    time_bucket: '',
  })
})

test('first and last of one moment are chosen by message id', async () => {
  const time = '2026-03-01T10:00:00Z'
  const samples = [5n, 7n, 6n].map((messageId) => ({
    name: 'ties',
    time,
    value: Number(messageId),
    messageId,
  }))
  await storeSamples(database, asset.owner, [
    ...samples,
    { name: 'ties', time, value: 'eight', messageId: 8n },
  ])
  expect(await asset.buckets('ties', { aggregationType: 'first', aggregationInterval: 'P1D' })).toEqual([
    ['2026-03-01T00:00:00Z', 5],
  ])
  expect(await asset.buckets('ties', { aggregationType: 'last', aggregationInterval: 'P1D' })).toEqual([
    ['2026-03-01T00:00:00Z', 'eight'],
  ])
})

test('the filter selects the samples to aggregate', async () => {
  const name = await asset.signal(
    ['2026-03-01T10:00:00Z', 1],
    ['2026-03-01T10:01:00Z', 5],
    ['2026-03-01T10:02:00Z', 9],
    ['2026-03-01T10:03:00Z', 'x'],
  )
  for (const [type, value] of [
    ['avg', 3],
    ['first', 1],
    ['last', 5],
    ['max', 5],
  ])
    expect(
      await asset.buckets(name, {
        aggregationType: type,
        whereClause: 'value < 9',
        aggregationInterval: 'P1Y',
      }),
    ).toEqual([['2026-01-01T00:00:00Z', value]])
})

describe('numbers at the limits of a double', () => {
  test('avg and sum do not fail on the way', async () => {
    const name = await asset.signal(
      ['2026-03-01T10:00:00Z', 1.5e308],
      ['2026-03-01T10:01:00Z', 1.5e308],
      ['2026-03-01T10:02:00Z', -1.5e308],
    )
    expect(
      await asset.buckets(name, { ...span, aggregationType: 'avg', aggregationInterval: 'PT1H' }),
    ).toEqual([['2026-03-01T10:00:00Z', 5e307]])
    expect(
      await asset.buckets(name, { ...span, aggregationType: 'sum', aggregationInterval: 'PT1H' }),
    ).toEqual([['2026-03-01T10:00:00Z', 1.5e308]])
  })
  test('the median of very small numbers', async () => {
    const name = await asset.signal(['2026-03-01T10:00:00Z', 5e-324])
    expect(await asset.buckets(name, { aggregationType: 'median' })).toEqual([
      ['0001-01-01T00:00:00Z', 5e-324],
    ])
  })
})

describe('many buckets', () => {
  const start = Date.parse('2026-03-01T00:00:00Z')
  beforeAll(async () => {
    const samples = Array.from({ length: 100_002 }, (_, index) => ({
      name: 'many',
      time: start + index * 10,
      value: index,
    }))
    await storeSamples(database, asset.owner, samples)
  })
  const every = { ...span, aggregationInterval: 'PT0.01S' }

  test('are truncated at the limit, which the answer states', async () => {
    const { items } = await asset.get('many', { ...every, aggregationType: 'max' })
    expect(items[0].queryResultLimitReached).toEqual({ resultLimit: 100_000 })
    expect(items[0].items).toHaveLength(100_000)
    expect(items[0].items.at(-1)).toEqual({ value: 99_999, timestamp: '2026-03-01T00:16:39.990Z' })
  })

  test('are all in the CSV, each once', async () => {
    const body = { assetId: 'pump', timeseriesName: ['many'], ...every, aggregationType: 'last' }
    const { body: text } = await asset.api.post('a', '/v1/timeseries/get', body, { accept: 'text/csv' })
    const rows = (text as string).trimEnd().split('\r\n').slice(1)
    expect(rows).toHaveLength(100_002)
    expect(rows.every((row, index) => row.endsWith(`,${index}`))).toBe(true)
  })

  test('a year-long span in milliseconds has no more buckets than samples', async () => {
    const name = await asset.signal(['2026-03-01T00:00:00Z', 1], ['2026-09-01T00:00:00.001Z', 3])
    expect(await asset.buckets(name, { aggregationInterval: 'PT0.001S' })).toEqual([
      ['2026-03-01T00:00:00Z', 1],
      ['2026-09-01T00:00:00.001Z', 3],
    ])
  })
})

test('a truncated answer states it, and a complete one does not', async () => {
  const times = [1, 2, 3, 4].map((second) => `2026-03-01T00:00:0${second}.000Z`)
  const name = await asset.signal(...times.map((time): Entry => [time, 1]))
  const [series] = await listSeriesNamed(database.db, [asset.owner], [name])
  const selection = {
    series: series!,
    modelId: null,
    from: Date.parse(times[0]!),
    to: Date.parse(span.searchSpanTo),
  }
  const aggregation = { type: 'sum', interval: { unit: 'ms', count: 1000 }, timeZone: 'UTC' } as const
  const read = async (pages: AsyncGenerator<Page, boolean>) => {
    const points: unknown[] = []
    let page = await pages.next()
    for (; !page.done; page = await pages.next()) points.push(...readPoints(page.value.pieces))
    return [points.length, page.value]
  }
  const { db } = database
  for (const [limit, outcome] of [
    [2, [2, true]],
    [3, [3, true]],
    [4, [4, false]],
    [5, [4, false]],
  ] as const) {
    expect(await read(samplePages(db, selection, { format: timedValues, limit }))).toEqual(outcome)
    expect(await read(bucketPages(db, selection, { aggregation, format: timedValues, limit }))).toEqual(
      outcome,
    )
  }
})

test('buckets that start before the year 1 have timestamps as Date writes them', async () => {
  const name = await asset.signal(['0001-01-01T00:00:00Z', 1], ['0005-01-01T00:00:00Z', 2])
  const bucketStarts = async (aggregationInterval: string) =>
    (await asset.buckets(name, { aggregationType: 'first', aggregationInterval })).map(([start]) => start)
  expect(await bucketStarts('P1000Y')).toEqual(['0000-01-01T00:00:00Z'])
  expect(await bucketStarts('P365000D')).toEqual([
    new Date(Date.parse('1970-01-05') - 2 * 365_000 * DAY_MS).toISOString().replace('.000Z', 'Z'),
  ])
})

test('a page that ends after a bucket before the year 1 continues with the next one', async () => {
  const long = (letter: string) => Array.from({ length: 60_000 }, () => letter + Math.random()).join()
  const name = await asset.signal(['0001-01-01T00:00:00Z', long('a')], ['0011-01-01T00:00:00Z', long('b')])
  const found = await asset.buckets(name, { aggregationType: 'last', aggregationInterval: 'P10Y' })
  expect(found.map(([start, value]) => [start, String(value)[0]])).toEqual([
    ['0000-01-01T00:00:00Z', 'a'],
    ['0010-01-01T00:00:00Z', 'b'],
  ])
})
