import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { insertTenant } from '../../../test/harness/telemetry.ts'
import {
  createSeriesRegistry,
  forgetAssets,
  forgetOwner,
  rememberSeries,
  seriesNumber,
} from './series-registry.ts'
import type { SeriesKey } from './series-key.ts'
import { ensureSeries, listSeriesNamed } from './series.ts'

let database: TestDatabase
let tenantNumber: number
beforeAll(async () => {
  database = await testDatabase()
  tenantNumber = await insertTenant(database, 'a')
})
afterAll(() => database[Symbol.asyncDispose]())

const key = (ownerId: string, name: string, more: Partial<SeriesKey> = {}): SeriesKey => ({
  tenantNumber,
  ownerType: 'client',
  ownerId,
  componentId: '',
  name,
  type: 'telemetry',
  ...more,
})

test('creates missing series once and caches them', async () => {
  const registry = createSeriesRegistry()
  const keys = [
    key('p', 't'),
    key('p', 'u'),
    key('p', 't'),
    key('p', 't', { componentId: 'motor' }),
    key('p', 't', { type: 'propertyReported' }),
  ]
  await ensureSeries(database.db, registry, keys)
  const numbers = keys.map((one) => seriesNumber(registry, one))
  expect(new Set(numbers).size).toBe(4)
  expect(numbers[0]).toBe(numbers[2])
  const other = createSeriesRegistry()
  await ensureSeries(database.db, other, keys)
  expect(keys.map((one) => seriesNumber(other, one))).toEqual(numbers)
})

test('creates more series than fit into one statement', async () => {
  const registry = createSeriesRegistry()
  const keys = Array.from({ length: 1201 }, (_, index) => key('many', `signal-${index}`))
  await ensureSeries(database.db, registry, keys)
  expect(new Set(keys.map((one) => seriesNumber(registry, one))).size).toBe(1201)
  expect(keys.map((one) => seriesNumber(registry, one))).not.toContain(undefined)
})

test('many processes that create the same series agree on its number', async () => {
  const keys = Array.from({ length: 200 }, (_, index) => key('race', `signal-${index}`))
  const registries = Array.from({ length: 8 }, () => createSeriesRegistry())
  await Promise.all(
    registries.map((registry, index) =>
      ensureSeries(database.db, registry, index % 2 ? keys : keys.toReversed()),
    ),
  )
  const [first, ...rest] = registries.map((registry) => keys.map((one) => seriesNumber(registry, one)))
  expect(new Set(first).size).toBe(200)
  expect(first).not.toContain(undefined)
  for (const numbers of rest) expect(numbers).toEqual(first)
})

test('series of two tenants, and of a client and an asset with the same id, are different', async () => {
  const foreign = await insertTenant(database, 'b')
  const keys = [
    key('x', 't'),
    key('x', 't', { tenantNumber: foreign }),
    key('x', 't', { ownerType: 'asset' }),
  ]
  const registry = createSeriesRegistry()
  await ensureSeries(database.db, registry, keys)
  expect(new Set(keys.map((one) => seriesNumber(registry, one))).size).toBe(3)
  expect(await listSeriesNamed(database.db, key('x', ''), ['t'])).toHaveLength(1)
})

test('owners that were not used lately are dropped from the cache, others are kept', () => {
  const registry = createSeriesRegistry(100)
  for (let index = 0; index < 1000; index++) {
    rememberSeries(registry, key(`device-${index}`, 't'), index)
    expect(seriesNumber(registry, key('device-0', 't'))).toBe(0)
  }
  const known = Array.from({ length: 1000 }, (_, index) =>
    seriesNumber(registry, key(`device-${index}`, 't')),
  )
  expect(known.filter((number) => number !== undefined).length).toBeLessThanOrEqual(101)
  forgetOwner(registry, key('device-0', ''))
  expect(seriesNumber(registry, key('device-0', 't'))).toBeUndefined()
})

test('assets are dropped from the cache by their ids or all together; clients with the same ids stay', () => {
  const registry = createSeriesRegistry()
  const asset = (id: string) => key(id, 't', { ownerType: 'asset' })
  const keys = [asset('a'), asset('b'), key('a', 't')]
  keys.forEach((one, index) => rememberSeries(registry, one, index))
  const known = () => keys.map((one) => seriesNumber(registry, one))
  forgetAssets(registry, ['a', 'unknown'])
  expect(known()).toEqual([undefined, 1, 2])
  forgetAssets(registry, null)
  expect(known()).toEqual([undefined, undefined, 2])
})
