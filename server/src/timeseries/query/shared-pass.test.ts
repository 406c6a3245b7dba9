import { afterAll, beforeAll, expect, test } from 'vitest'
import { aggregated } from '../../../test/harness/aggregated.ts'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { storeSamples } from '../../../test/harness/telemetry.ts'
import type { AggregationType } from '../../lib/aggregation-types.ts'
import { listSeriesNamed } from '../storage/series.ts'
import { bucketPages } from './aggregate.ts'
import type { DoneBucket } from './buckets.ts'
import { readPoints, timedValues } from './point-format.ts'
import { createSharedPass } from './shared-pass.ts'

let database: TestDatabase
let asset: Awaited<ReturnType<typeof aggregated>>
beforeAll(async () => {
  database = await testDatabase()
  asset = await aggregated(database)
})
afterAll(() => database[Symbol.asyncDispose]())

const from = Date.parse('2026-03-01T00:00:00Z')

test('samples that arrive between two items of an answer are in both or in neither', async () => {
  const name = await asset.signal([from, 5], [from + 1000, 7])
  const [series] = await listSeriesNamed(database.db, [asset.owner], [name])
  const pass = createSharedPass(['min', 'avg', 'max'])
  const selection = { series: series!, modelId: null, from, to: from + 60_000 }
  const read = async (type: AggregationType) => {
    const aggregation = { type, timeZone: 'UTC' }
    const values: unknown[] = []
    const output = { aggregation, pass, format: timedValues, limit: 10 }
    for await (const { pieces } of bucketPages(database.db, selection, output))
      values.push(...readPoints<[number, unknown]>(pieces).map(([, value]) => value))
    return values
  }
  expect(await read('min')).toEqual([5])
  await storeSamples(database, asset.owner, [
    { name, time: from + 2000, value: 1 },
    { name, time: from + 3000, value: 100 },
  ])
  expect([await read('avg'), await read('max')]).toEqual([[6], [7]])
  // An item that is read again is computed again.
  expect(await read('max')).toEqual([100])
})

const bucket = (other: string | null = null): DoneBucket => ({ startMs: 0, number: '1', other })

test.each<[string, DoneBucket[], boolean]>([
  ['some buckets are held', Array.from({ length: 20_000 }, () => bucket()), true],
  ['too many are computed again', Array.from({ length: 20_001 }, () => bucket()), false],
  ['long texts are computed again', [bucket('"'.repeat(1024 * 1024 + 1))], false],
])('%s', (_name, buckets, isHeld) => {
  const pass = createSharedPass(['min', 'max'])
  expect(pass.begin('min')).toEqual(['min', 'max'])
  const done = [...buckets]
  pass.hold([done], { isLast: false })
  expect(done).toEqual([])
  pass.hold([[]], { isLast: true })
  expect(pass.take('max')?.length).toBe(isHeld ? buckets.length : undefined)
  expect(pass.begin('max')).toEqual(['max'])
})

test('what is held of a pass that did not end is not used', () => {
  const pass = createSharedPass(['min', 'max'])
  pass.begin('min')
  pass.hold([[bucket()]], { isLast: false })
  expect(pass.take('max')).toBeUndefined()
})
