/** Several aggregations in one request, and intervals that the server chooses. [docs/telemetry#resolution] */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aggregated } from '../../../test/harness/aggregated.ts'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { aggregationTypes } from '../../lib/aggregation-types.ts'

let database: TestDatabase
let asset: Awaited<ReturnType<typeof aggregated>>
beforeAll(async () => {
  database = await testDatabase()
  asset = await aggregated(database)
})
afterAll(() => database[Symbol.asyncDispose]())

const span = { searchSpanFrom: '2026-03-29T00:00:00Z', searchSpanTo: '2026-03-30T00:00:00Z' }
/** One value each quarter of an hour. */
const quarters = Array.from({ length: 96 }, (_, index): [number, unknown] => [
  Date.parse(span.searchSpanFrom) + index * 900_000,
  index % 7 === 3 ? `text ${index}` : Math.sin(index) * 100,
])

test('each type is an item with the same points as a separate request', async () => {
  const name = await asset.signal(...quarters)
  const body = { ...span, aggregationInterval: 'PT3H' }
  const types = [...aggregationTypes].toReversed()
  const answer = await asset.get(name, { ...body, aggregationTypes: types })
  const alone = await Promise.all(types.map((type) => asset.get(name, { ...body, aggregationType: type })))
  expect(answer.items).toEqual(alone.flatMap(({ items }) => items))
  expect(answer.items.map((item: { name: string }) => item.name)).toEqual(
    types.map((type) => `${name}_${type}`),
  )
  expect([answer.aggregation, answer.time_bucket]).toEqual([types.join(','), 'PT3H'])
})

test('CSV has the rows of each type', async () => {
  const name = await asset.signal(...quarters)
  const body = { assetId: 'pump', timeseriesName: [name], ...span, aggregationTypes: ['min', 'max'] }
  const { body: text } = await asset.api.post('a', '/v1/timeseries/get', body, { accept: 'text/csv' })
  const names = (text as string).split('\r\n').map((line) => line.split(',')[3])
  expect(names).toEqual(['timeseries_name', `${name}_min`, `${name}_max`, undefined])
})

describe('resolution', () => {
  test.each([
    [1000, 'UTC', 'PT2M', 82],
    [24, 'UTC', 'PT1H', 24],
    [23, 'UTC', 'PT2H', 12],
    [2, 'Europe/Berlin', 'PT12H', 2],
    [1, 'UTC', '', 1],
  ])('%i points in %s: %s', async (maxPoints, timeZone, interval, count) => {
    const name = await asset.signal(...quarters)
    const answer = await asset.get(name, { ...span, resolution: 'auto', maxPoints, timeZone })
    expect([answer.aggregation, answer.time_bucket, answer.items[0].items.length]).toEqual([
      'avg',
      interval,
      count,
    ])
    const same = await asset.get(name, {
      ...span,
      timeZone,
      aggregationType: 'avg',
      ...(interval && { aggregationInterval: interval }),
    })
    expect(answer).toEqual(same)
  })

  test('without `maxPoints` there are at most 1,000', async () => {
    const name = await asset.signal(...quarters)
    expect(await asset.get(name, { ...span, resolution: 'auto' })).toMatchObject({ time_bucket: 'PT2M' })
  })
})

test.each([
  [{ aggregationType: 'avg', aggregationTypes: ['min'] }, 'aggregationTypes'],
  [{ aggregationTypes: [] }, 'aggregationTypes'],
  [{ aggregationTypes: ['min', 'min'] }, 'aggregationTypes'],
  [{ aggregationTypes: ['mean'] }, 'aggregationTypes.0'],
  [{ resolution: 'auto', aggregationInterval: 'PT1M' }, 'resolution'],
  [{ resolution: 'fine' }, 'resolution'],
  [{ maxPoints: 10 }, 'maxPoints'],
  [{ resolution: 'auto', maxPoints: 0 }, 'maxPoints'],
  [{ resolution: 'auto', maxPoints: 100_001 }, 'maxPoints'],
])('%j is refused', async (body, path) => {
  const request = { assetId: 'pump', timeseriesName: ['s1'], ...span, ...body }
  const answer = await asset.api.post('a', '/v1/timeseries/get', request)
  expect([answer.status, answer.body.details.issues[0].path]).toEqual([400, path])
})
