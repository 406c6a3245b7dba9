import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { insertTenant } from '../../../test/harness/telemetry.ts'
import { ensureSeries, type NeededSeries } from './ensure-series.ts'
import {
  createSeriesRegistry,
  findStream,
  forgetAssets,
  rememberStream,
  type SeriesRegistry,
  slotKey,
} from './series-registry.ts'
import { listSeriesNamed } from './series.ts'

let database: TestDatabase
let tenantNumber: number
beforeAll(async () => {
  database = await testDatabase()
  tenantNumber = await insertTenant(database, 'a')
})
afterAll(() => database[Symbol.asyncDispose]())

const need = (ownerId: string, names: string[], more: Partial<NeededSeries> = {}): NeededSeries => ({
  owner: { tenantNumber, ownerType: 'client', ownerId },
  type: 'telemetry',
  componentId: '',
  names,
  values: names.map(() => 1),
  ...more,
})
const slots = (registry: SeriesRegistry, { owner, type, componentId, names }: NeededSeries) => {
  const stream = findStream(registry, owner, type)
  return names.map((name) => stream?.slots.get(slotKey(componentId, name)))
}

test('creates missing streams and series once and caches them', async () => {
  const registry = createSeriesRegistry()
  const needed = [
    need('p', ['t', 'u']),
    need('p', ['u', 'v']),
    need('p', ['t'], { componentId: 'motor' }),
    need('p', ['t'], { type: 'propertyReported' }),
    need('p', ['nothing'], { values: [null] }),
    need('q', []),
  ]
  expect(await ensureSeries(database.db, registry, needed)).toEqual(new Set())
  const expected = [[1, 2], [2, 3], [4], [1], [undefined], []]
  expect(needed.map((one) => slots(registry, one))).toEqual(expected)
  expect(findStream(registry, needed[5]!.owner, 'telemetry')).toBeDefined()
  const other = createSeriesRegistry()
  await ensureSeries(database.db, other, needed)
  expect(needed.map((one) => slots(other, one))).toEqual(expected)
})

test('creates more streams than fit into one statement', async () => {
  const registry = createSeriesRegistry()
  const needed = Array.from({ length: 1201 }, (_, index) => need(`many-${index}`, ['a', 'b']))
  await ensureSeries(database.db, registry, needed)
  for (const one of needed) expect(slots(registry, one)).toEqual([1, 2])
})

test('many processes that create the same series agree on their slots', async () => {
  const names = Array.from({ length: 200 }, (_, index) => `signal-${index}`)
  const registries = Array.from({ length: 8 }, () => createSeriesRegistry())
  await Promise.all(
    registries.map((registry, index) =>
      ensureSeries(database.db, registry, [
        need('race', index % 2 ? names : names.toReversed()),
        need('race-2', index % 2 ? names.slice(100) : names),
      ]),
    ),
  )
  const all = need('race', names)
  for (const registry of registries) await ensureSeries(database.db, registry, [all, need('race-2', names)])
  const [first, ...rest] = registries.map((registry) => slots(registry, all))
  expect(first!.toSorted((a, b) => a! - b!)).toEqual(names.map((_name, index) => index + 1))
  for (const others of rest) expect(others).toEqual(first)
})

test('series of two tenants, and of a client and an asset with the same id, are different', async () => {
  const foreign = await insertTenant(database, 'b')
  const one = need('x', ['t'])
  const needed = [
    one,
    { ...one, owner: { ...one.owner, tenantNumber: foreign } },
    { ...one, owner: { ...one.owner, ownerType: 'asset' as const } },
  ]
  const registry = createSeriesRegistry()
  await ensureSeries(database.db, registry, needed)
  expect(new Set(needed.map(({ owner }) => findStream(registry, owner, 'telemetry')!.number)).size).toBe(3)
  expect(await listSeriesNamed(database.db, [one.owner], ['t'])).toHaveLength(1)
})

test('a device has at most as many series as the limit, of both types together, on all nodes', async () => {
  const [registry, other] = [createSeriesRegistry(), createSeriesRegistry()]
  const ensure = (of: SeriesRegistry, ...needed: NeededSeries[]) => ensureSeries(database.db, of, needed, 5)
  const first = need('full', ['a', 'b', 'c'])
  expect(await ensure(registry, first)).toEqual(new Set())
  const tooMany = need('full', ['d', 'e', 'f'])
  const reported = need('full', ['d', 'e'], { type: 'propertyReported' })
  expect(await ensure(other, tooMany, reported, first)).toEqual(new Set([tooMany]))
  const last = need('full', ['g'])
  for (const of of [registry, other, createSeriesRegistry()]) {
    expect(await ensure(of, last, first, reported)).toEqual(new Set([last]))
    expect(await ensure(of, need('full', ['g'], { values: [null] }))).toEqual(new Set())
  }
  const asset = need('full', ['a', 'b', 'c', 'd', 'e', 'f'])
  asset.owner = { ...asset.owner, ownerType: 'asset' }
  expect(await ensure(registry, asset)).toEqual(new Set())
})

test('the transaction that creates series has no limit of its own', async () => {
  // A cache so small that nothing stays in it: streams must not leave that of the transaction.
  const registry = createSeriesRegistry(4)
  const needed = Array.from({ length: 30 }, (_, index) => need(`evicted-${index}`, ['a', 'b', 'c']))
  expect(await ensureSeries(database.db, registry, needed)).toEqual(new Set())
  const { rows } = await database.pool.query<{ count: number }>(
    "select count(*)::int as count from series where owner_id like 'evicted-%'",
  )
  expect(rows[0]!.count).toBe(90)
})

test('the limit counts the series of a stream that another node made while this one waited', async () => {
  await ensureSeries(database.db, createSeriesRegistry(), [need('waits', ['a'])])
  let waiting: Promise<Set<NeededSeries>> | undefined
  const late = need('waits', ['b', 'c'])
  await database.db.transaction().execute(async (tx) => {
    await sql`select from streams where owner_id = 'waits' for update`.execute(tx)
    waiting = ensureSeries(database.db, createSeriesRegistry(), [late], 5)
    await expect.poll(() => countWaiting()).toBe(1)
    const { rows } = await sql<{ number: number }>`
      insert into streams (tenant_number, owner_type, owner_id, type, series_count)
      values (${tenantNumber}, 'client', 'waits', 'propertyReported', 3) returning number`.execute(tx)
    expect(rows).toHaveLength(1)
  })
  expect(await waiting).toEqual(new Set([late]))
})

async function countWaiting() {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%streams%for update%'`,
  )
  return rows[0]!.count
}

test('what was read earlier does not replace what is known since', () => {
  const registry = createSeriesRegistry()
  const key = { tenantNumber, ownerType: 'client', ownerId: 'known', type: 'telemetry' } as const
  const stream = (number: number, ...names: string[]) => ({
    number,
    slots: new Map(names.map((name, index) => [name, index + 1])),
    lastHours: [],
    isFull: false,
  })
  const known = () => {
    const found = findStream(registry, key, 'telemetry')!
    return [found.number, ...found.slots.keys()]
  }
  rememberStream(registry, key, stream(1, 'a', 'b'))
  rememberStream(registry, key, stream(1, 'a'))
  expect(known()).toEqual([1, 'a', 'b'])
  rememberStream(registry, key, stream(1, 'a', 'b', 'c'))
  expect(known()).toEqual([1, 'a', 'b', 'c'])
  // The asset was deleted and made again.
  rememberStream(registry, key, stream(2, 'd'))
  rememberStream(registry, key, stream(1, 'a', 'b', 'c'))
  expect(known()).toEqual([2, 'd'])
})

const remember = (registry: SeriesRegistry, ownerId: string, ownerType: 'client' | 'asset' = 'client') =>
  rememberStream(
    registry,
    { tenantNumber, ownerType, ownerId, type: 'telemetry' },
    { number: 1, slots: new Map([['t', 1]]), lastHours: [], isFull: false },
  )
const isKnown = (registry: SeriesRegistry, ownerId: string, ownerType: 'client' | 'asset' = 'client') =>
  findStream(registry, { tenantNumber, ownerType, ownerId }, 'telemetry') !== undefined

test('owners that were not used lately are dropped from the cache, others are kept', () => {
  const registry = createSeriesRegistry(100)
  for (let index = 0; index < 1000; index++) {
    remember(registry, `device-${index}`)
    expect(isKnown(registry, 'device-0')).toBe(true)
  }
  const known = Array.from({ length: 1000 }, (_, index) => isKnown(registry, `device-${index}`))
  expect(known.filter(Boolean).length).toBeLessThanOrEqual(51)
})

test('assets are dropped from the cache by their ids or all together; clients with the same ids stay', () => {
  const registry = createSeriesRegistry()
  remember(registry, 'a', 'asset')
  remember(registry, 'b', 'asset')
  remember(registry, 'a')
  const known = () => [
    isKnown(registry, 'a', 'asset'),
    isKnown(registry, 'b', 'asset'),
    isKnown(registry, 'a'),
  ]
  forgetAssets(registry, ['a', 'unknown'])
  expect(known()).toEqual([false, true, true])
  forgetAssets(registry, null)
  expect(known()).toEqual([false, false, true])
})
