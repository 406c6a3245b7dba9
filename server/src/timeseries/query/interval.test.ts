/** The bucket of a moment, and its start. [docs/telemetry#intervals] */
import fc from 'fast-check'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aggregated, type Entry } from '../../../test/harness/aggregated.ts'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { bucketKey, bucketStart, type Interval } from './interval.ts'

let database: TestDatabase
let asset: Awaited<ReturnType<typeof aggregated>>
beforeAll(async () => {
  database = await testDatabase()
  asset = await aggregated(database)
})
afterAll(() => database[Symbol.asyncDispose]())

const span = { searchSpanFrom: '2026-03-01T00:00:00Z', searchSpanTo: '2026-03-02T00:00:00Z' }

describe('buckets', () => {
  test.each([
    ['PT1M', ['10:00', '10:06', '10:07', '10:59', '11:00'], ['10:00', '10:06', '10:07', '10:59', '11:00']],
    ['PT5M', ['10:00', '10:06', '10:07', '10:59', '11:00'], ['10:00', '10:05', '10:55', '11:00']],
    ['PT15M', ['10:00', '10:06', '10:14', '10:15', '10:59'], ['10:00', '10:15', '10:45']],
    ['PT1H', ['10:00', '10:59', '11:00'], ['10:00', '11:00']],
    ['PT12H', ['00:00', '11:59', '12:00', '23:59'], ['00:00', '12:00']],
    ['PT1H30M', ['00:00', '01:29', '01:30', '23:59'], ['00:00', '01:30', '22:30']],
    ['P1D', ['00:00', '23:59'], ['00:00']],
  ])('%s', async (aggregationInterval, times, starts) => {
    const name = await asset.signal(...times.map((time): Entry => [`2026-03-01T${time}:59.999Z`, 1]))
    const found = await asset.buckets(name, {
      ...span,
      aggregationInterval,
      timeZone: 'Asia/Kathmandu',
      ...(aggregationInterval === 'P1D' && { timeZone: 'UTC' }),
    })
    expect(found.map(([start]) => start)).toEqual(starts.map((start) => `2026-03-01T${start}:00Z`))
  })

  test('PT7M counts from 1970', async () => {
    const times = Array.from(
      { length: 50 },
      (_, index) => Date.parse('2026-03-01T10:00:00Z') + index * 61_001,
    )
    const name = await asset.signal(...times.map((time): Entry => [time, 1]))
    const starts = [...new Set(times.map((time) => Math.floor(time / 420_000) * 420_000))]
    const found = await asset.buckets(name, { ...span, aggregationType: 'sum', aggregationInterval: 'PT7M' })
    expect(found.map(([start]) => Date.parse(start))).toEqual(starts)
    expect(found.reduce((sum, [, value]) => sum + Number(value), 0)).toBe(50)
  })

  test('buckets exist before 1970, in the year 1 and in the year 9999', async () => {
    const name = await asset.signal(
      ['1969-12-31T23:58:00Z', 1],
      ['0001-01-01T00:10:00Z', 2],
      ['9999-12-31T23:58:00Z', 3],
    )
    expect(await asset.buckets(name, { aggregationInterval: 'PT5M' })).toEqual([
      ['0001-01-01T00:10:00Z', 2],
      ['1969-12-31T23:55:00Z', 1],
      ['9999-12-31T23:55:00Z', 3],
    ])
    for (const aggregationInterval of ['P1D', 'P1W', 'P1M', 'P1Y', 'P10Y', 'P1000Y'])
      expect(await asset.buckets(name, { aggregationInterval, timeZone: 'America/New_York' })).toHaveLength(3)
  })

  test('the first bucket may start before the span, and has only samples of the span', async () => {
    const name = await asset.signal(['2026-03-01T10:10:00Z', 1], ['2026-03-01T10:40:00Z', 5])
    const found = await asset.buckets(name, {
      searchSpanFrom: '2026-03-01T10:30:00Z',
      searchSpanTo: '2026-03-01T10:50:00Z',
      aggregationInterval: 'PT1H',
    })
    expect(found).toEqual([['2026-03-01T10:00:00Z', 5]])
  })

  test('months, leap years, quarters, years and weeks are calendar units', async () => {
    const days = ['2023-12-31', '2024-01-31', '2024-02-29', '2024-03-01', '2024-12-31', '2025-01-01']
    const name = await asset.signal(...days.map((day): Entry => [`${day}T12:00:00Z`, 1]))
    const starts = async (aggregationInterval: string) =>
      (await asset.buckets(name, { aggregationType: 'sum', aggregationInterval })).map(
        ([start, value]) => `${start.slice(0, 10)} ${value}`,
      )
    expect(await starts('P1M')).toEqual([
      '2023-12-01 1',
      '2024-01-01 1',
      '2024-02-01 1',
      '2024-03-01 1',
      '2024-12-01 1',
      '2025-01-01 1',
    ])
    expect(await starts('P3M')).toEqual(['2023-10-01 1', '2024-01-01 3', '2024-10-01 1', '2025-01-01 1'])
    expect(await starts('P1Y')).toEqual(['2023-01-01 1', '2024-01-01 4', '2025-01-01 1'])
    expect(await starts('P10Y')).toEqual(['2020-01-01 6'])
    expect(await starts('P1W')).toEqual(['2023-12-25 1', '2024-01-29 1', '2024-02-26 2', '2024-12-30 2'])
    expect(await starts('P1D')).toHaveLength(6)
  })
})

describe('days of a time zone', () => {
  const hourly = (from: string, hours: number): Entry[] =>
    Array.from({ length: hours }, (_, index) => [Date.parse(from) + index * 3_600_000, 1])

  test('have 23 and 25 hours where clocks change', async () => {
    const name = await asset.signal(
      ...hourly('2026-03-27T23:00:00Z', 72),
      ...hourly('2026-10-23T22:00:00Z', 73),
    )
    expect(
      await asset.buckets(name, {
        aggregationType: 'sum',
        aggregationInterval: 'P1D',
        timeZone: 'Europe/Berlin',
      }),
    ).toEqual([
      ['2026-03-27T23:00:00Z', 24],
      ['2026-03-28T23:00:00Z', 23],
      ['2026-03-29T22:00:00Z', 24],
      ['2026-03-30T22:00:00Z', 1],
      ['2026-10-23T22:00:00Z', 24],
      ['2026-10-24T22:00:00Z', 25],
      ['2026-10-25T23:00:00Z', 24],
    ])
  })

  test('start at the first midnight, if there are two', async () => {
    // Havana sets clocks back from 01:00 to 00:00 on 2026-11-01.
    const name = await asset.signal(...hourly('2026-10-31T04:00:00Z', 49))
    expect(
      await asset.buckets(name, {
        aggregationType: 'sum',
        aggregationInterval: 'P1D',
        timeZone: 'America/Havana',
      }),
    ).toEqual([
      ['2026-10-31T04:00:00Z', 24],
      ['2026-11-01T04:00:00Z', 25],
    ])
  })

  test("start at one o'clock, if midnight is skipped", async () => {
    // Beirut sets clocks forward from 00:00 to 01:00 on 2026-03-29.
    const name = await asset.signal(...hourly('2026-03-27T22:00:00Z', 47))
    expect(
      await asset.buckets(name, {
        aggregationType: 'sum',
        aggregationInterval: 'P1D',
        timeZone: 'Asia/Beirut',
      }),
    ).toEqual([
      ['2026-03-27T22:00:00Z', 24],
      ['2026-03-28T22:00:00Z', 23],
    ])
  })

  test('months and years are those of the zone', async () => {
    const name = await asset.signal(
      ['2025-12-31T22:59:59Z', 1],
      ['2025-12-31T23:00:00Z', 2],
      ['2026-05-31T22:00:00Z', 3],
    )
    const body = { aggregationType: 'sum', timeZone: 'Europe/Berlin' }
    expect(await asset.buckets(name, { ...body, aggregationInterval: 'P1Y' })).toEqual([
      ['2024-12-31T23:00:00Z', 1],
      ['2025-12-31T23:00:00Z', 5],
    ])
    expect(await asset.buckets(name, { ...body, aggregationInterval: 'P1M' })).toEqual([
      ['2025-11-30T23:00:00Z', 1],
      ['2025-12-31T23:00:00Z', 2],
      ['2026-05-31T22:00:00Z', 3],
    ])
  })

  test('zones that PostgreSQL takes for abbreviations have their summer time', async () => {
    const name = await asset.signal(['2026-07-01T12:00:00Z', 1])
    const start = async (timeZone: string) =>
      (await asset.buckets(name, { aggregationInterval: 'P1D', timeZone })).map(([time]) => time)
    for (const timeZone of ['CET', 'met', 'Europe/Berlin'])
      expect(await start(timeZone)).toEqual(['2026-06-30T22:00:00Z'])
    expect(await start('EET')).toEqual(['2026-06-30T21:00:00Z'])
    expect(await start('WET')).toEqual(['2026-06-30T23:00:00Z'])
    expect(await start('EST')).toEqual(['2026-07-01T05:00:00Z'])
  })

  test.each(['IST', 'PST', 'bst'])('%s, which stands for several zones, is refused', async (timeZone) => {
    const answer = await asset.api.post('a', '/v1/timeseries/get', {
      assetId: 'pump',
      ...span,
      timeseriesName: ['s1'],
      aggregationInterval: 'P1D',
      timeZone,
    })
    expect(answer).toMatchObject({ status: 400, body: { details: { issues: [{ path: 'timeZone' }] } } })
  })

  test('months count from the year 0 also in its last hours', async () => {
    const name = await asset.signal(['0001-01-01T00:00:00Z', 1], ['0001-01-01T12:00:00Z', 2])
    const body = { aggregationType: 'sum', aggregationInterval: 'P5M', timeZone: 'Etc/GMT+5' }
    expect(await asset.buckets(name, body)).toEqual([['0000-11-01T05:00:00Z', 3]])
  })

  test('a bucket starts at or before its samples, at a local time of its grid, in every zone', async () => {
    const zones = Intl.supportedValuesOf('timeZone')
    const intervals: Interval[] = [
      { unit: 'days', count: 1 },
      { unit: 'days', count: 7 },
      { unit: 'months', count: 1 },
      { unit: 'months', count: 12 },
      { unit: 'ms', count: 420_000 },
    ]
    const times = fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2037, 0) })
    const rows = fc.array(
      fc.record({ zone: fc.constantFrom(...zones), time: times, interval: fc.constantFrom(...intervals) }),
      { minLength: 60, maxLength: 60 },
    )
    const property = fc.asyncProperty(rows, async (list) => {
      const selects = list.map(({ zone, time, interval }): RawBuilder<unknown> => {
        const key = bucketKey(interval, zone, sql`${new Date(time).toISOString()}::timestamptz`)
        return sql`select ${new Date(time).toISOString()}::timestamptz as time, bucket_start,
          (${bucketKey(interval, zone, sql`bucket_start`)}) = bucket as same_bucket
          from (select bucket, ${bucketStart(interval, zone, sql`bucket`)} as bucket_start from (select ${key} as bucket) k) s`
      })
      const { rows: found } = await sql<{
        time: Date
        bucket_start: Date
        same_bucket: boolean
      }>`${sql.join(selects, sql` union all `)}`.execute(database.db)
      for (const [index, { time, bucket_start, same_bucket }] of found.entries()) {
        const holds = bucket_start <= time && same_bucket
        expect({ ...list[index], holds }).toMatchObject({ holds: true })
      }
    })
    await fc.assert(property, { numRuns: 30 })
  })
})
