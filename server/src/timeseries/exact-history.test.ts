/**
 * Random messages of all types, in any order, repeated and late, with packing, migration, imports, deletion and retention in
 * between, some of it killed: every query gives what a plain list in memory gives. [docs/telemetry#queries]
 */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../test/harness/database.ts'
import {
  applyOperation,
  deleteOwner,
  type HistoryWorld,
  storeFormer,
} from '../../test/harness/history/apply-operation.ts'
import {
  type Asked,
  compareAutomatic,
  compareBuckets,
  compareCsv,
  compareLatest,
  compareParquet,
  compareRaw,
  type Filter,
  listInSpan,
} from '../../test/harness/history/compare-answers.ts'
import { type Grid, grids } from '../../test/harness/history/grid-keys.ts'
import {
  anyHistory,
  DAYS,
  exampleHistory,
  type History,
  longHistory,
  names,
  owners,
} from '../../test/harness/history/operations.ts'
import { compareBytes, listPoints, withoutSign } from '../../test/harness/history/stored-list.ts'
import { rounds } from '../../test/harness/rounds.ts'
import { insertClient } from '../../test/harness/telemetry.ts'
import { timeseriesApi, type TimeseriesApi } from '../../test/harness/timeseries-api.ts'
import { type AggregationType, aggregationTypes } from '../lib/aggregation-types.ts'
import { hasSampleSince } from './query/has-sample-since.ts'
import { listLastValues } from './query/last-known.ts'
import { readPoints, timedValues } from './query/point-format.ts'
import { samplePages } from './query/raw.ts'
import { listSeriesNamed, type Series } from './storage/series.ts'

let database: TestDatabase
let api: TimeseriesApi
let tenants = 0
beforeAll(async () => {
  database = await testDatabase()
  api = timeseriesApi(database)
})
afterAll(() => database[Symbol.asyncDispose]())

const FEW_RUNS = 3
const HOUR_MS = 3_600_000

const listFilters = (base: number): Filter[] => [
  { clause: 'value > 1', passes: ({ value }) => typeof value === 'number' && value > 1 },
  {
    clause: "value >= 'b' OR value = true",
    passes: ({ value }) => value === true || (typeof value === 'string' && compareBytes(value, 'b') >= 0),
  },
  {
    clause: 'NOT value BETWEEN -100 AND 100',
    passes: ({ value }) => !(typeof value === 'number' && value >= -100 && value <= 100),
  },
  { clause: `time > '${new Date(base).toISOString()}'`, passes: ({ time }) => time > base },
  {
    clause: "assetid = 'a' AND timeseries_type = 'telemetry' OR messageid = '1'",
    passes: ({ owner, type, messageId }) => (owner === 'a' && type === 'telemetry') || messageId === 1n,
  },
]

interface Choice {
  /** Hours after the base day; the whole time if `from` is divisible by five. */
  hours: { from: number; to: number }
  edgeMs: number
  grids: Grid[]
  type: AggregationType
  /** The place of the filter. */
  filter: number
  maxPoints: number
  limit: number
}

const anyChoice: fc.Arbitrary<Choice> = fc.record({
  hours: fc.record({
    from: fc.integer({ min: -20, max: 20 }),
    to: fc.integer({ min: -20, max: DAYS * 24 }),
  }),
  edgeMs: fc.constantFrom(0, 1, 12_345, 300_000),
  grids: fc.shuffledSubarray(grids, { minLength: 3, maxLength: 3 }),
  type: fc.constantFrom(...aggregationTypes),
  filter: fc.integer({ min: 0, max: listFilters(0).length - 1 }),
  maxPoints: fc.constantFrom(1, 3, 10, 100),
  limit: fc.integer({ min: 1, max: 12 }),
})

function chooseSpan(base: number, { hours, edgeMs }: Choice): Pick<Asked, 'from' | 'to'> {
  if (hours.from % 5 === 0)
    return { from: Date.parse('0001-01-01T00:00:00Z'), to: Date.parse('9999-12-31T23:59:59.999Z') }
  const [from, to] = [hours.from, Math.max(hours.from + 1, hours.to)]
  return { from: base + from * HOUR_MS + edgeMs, to: base + to * HOUR_MS }
}

async function readLimited(series: Series, { from, to }: Asked, limit: number) {
  const pages = samplePages(database.db, { series, modelId: null, from, to }, { format: timedValues, limit })
  const points: [number, unknown][] = []
  for (;;) {
    const page = await pages.next()
    if (page.done) return { points, hasMore: page.value }
    points.push(...readPoints<[number, unknown]>(page.value.pieces))
  }
}

async function isSampledSince({ tenantNumber, number }: Series, timeMs: number): Promise<boolean> {
  const has = hasSampleSince({ tenantNumber, series: 's' }, sql`${new Date(timeMs)}::timestamptz`)
  const { rows } = await sql<{
    has: boolean
  }>`select ${has} as has from series s where number = ${number}`.execute(database.db)
  return rows[0]!.has
}

/** What no route asks for directly: pages up to a limit, and what bindings and alarms read. */
async function compareSeries(asked: Asked, tenantNumber: number, limit: number): Promise<void> {
  const keys = owners.map((ownerId) => ({ tenantNumber, ownerType: 'client' as const, ownerId }))
  for (const series of await listSeriesNamed(database.db, keys, names)) {
    const all = listPoints(asked.stored, { ...series, owner: series.ownerId })
    const inSpan = listInSpan(asked, { ...series, owner: series.ownerId })
    const points = inSpan.map(({ time, value }) => [time, value])
    expect(await readLimited(series, asked, limit)).toEqual({
      points: points.slice(0, limit),
      hasMore: points.length > limit,
    })
    const known = all.findLast(({ time }) => time <= asked.to)?.value
    const last = await listLastValues(database.db, [{ key: series, timeMs: asked.to }])
    expect(withoutSign(last(series, asked.to)?.value)).toEqual(withoutSign(known))
    expect(await isSampledSince(series, asked.from)).toBe(all.some(({ time }) => time > asked.from))
  }
}

async function compareEverything(asked: Asked, { base, choice }: { base: number; choice: Choice }) {
  const filter = listFilters(base)[choice.filter]!
  await compareRaw(asked)
  await compareRaw(asked, filter)
  for (const grid of choice.grids) {
    await compareBuckets(asked, { types: [...aggregationTypes], grid })
    // Rollups are read only where no median is wanted.
    await compareBuckets(asked, { types: withoutMedian, grid })
  }
  const [grid] = choice.grids as [Grid]
  // Alone, a type shares no pass.
  await compareBuckets(asked, { types: [choice.type], grid })
  await compareBuckets(asked, { types: withoutMedian, grid, filter })
  await compareAutomatic(asked, choice.maxPoints, grid.timeZone)
  await compareLatest(asked)
  await compareCsv(asked)
  await compareParquet(asked)
}

const withoutMedian = aggregationTypes.filter((type) => type !== 'median')

async function countPieces(column: 'rollups' | 'day_values', tenantNumber: number): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(${column})::int as count from packed_rows where tenant_number = $1`,
    [tenantNumber],
  )
  return rows[0]!.count
}

const countStored = async (tenantNumber: number) => {
  const tables = ['sample_rows', 'packed_rows', 'samples', 'samples_other']
  const counts = tables.map((table) => `(select count(*) from ${table} where tenant_number = $1)`)
  const { rows } = await database.pool.query<{ count: number }>(
    `select (${counts.join(' + ')})::int as count`,
    [tenantNumber],
  )
  return rows[0]!.count
}

async function createWorld(history: History): Promise<{ world: HistoryWorld; tenantId: string }> {
  const tenantId = `q${++tenants}`
  const clients = []
  for (const owner of owners) clients.push(await insertClient(database, tenantId, owner))
  const { tenantNumber } = clients[0]!
  const world = { database, tenantNumber, base: history.base, stored: new Map(), former: new Map() }
  await storeFormer(world, history)
  return { world, tenantId }
}

test('answers equal those of a list in memory, whatever was stored, packed, moved, deleted or killed', async () => {
  const pieces = { withRollups: 0, ofDays: 0 }
  const property = fc.asyncProperty(anyHistory, anyChoice, async (history, choice) => {
    const { world, tenantId } = await createWorld(history)
    for (const operation of history.operations) await applyOperation(world, operation)
    const asked = {
      api,
      tenantId,
      stored: world.stored,
      points: new Map(),
      ...chooseSpan(history.base, choice),
    }
    await compareEverything(asked, { base: history.base, choice })
    await compareSeries(asked, world.tenantNumber, choice.limit)
    pieces.withRollups += await countPieces('rollups', world.tenantNumber)
    pieces.ofDays += await countPieces('day_values', world.tenantNumber)
    for (const owner of owners) await deleteOwner(world, owner)
    expect(await countStored(world.tenantNumber)).toBe(0)
  })
  const whole: Choice = {
    hours: { from: 0, to: 0 },
    edgeMs: 0,
    grids: grids.slice(2, 5),
    type: 'avg',
    filter: 0,
    maxPoints: 10,
    limit: 10,
  }
  await fc.assert(property, {
    numRuns: rounds(100, FEW_RUNS),
    examples: [[exampleHistory, whole]],
    endOnFailure: true,
  })
  // A few random histories may have neither.
  const isSure = rounds(1, 0)
  expect(pieces.withRollups).toBeGreaterThanOrEqual(isSure)
  expect(pieces.ofDays).toBeGreaterThanOrEqual(isSure)
})

test('several pages of packed samples have the late ones in between', async () => {
  const { world, tenantId } = await createWorld(longHistory)
  for (const operation of longHistory.operations) await applyOperation(world, operation)
  const span = { from: longHistory.base + 1, to: longHistory.base + 2 * 24 * HOUR_MS }
  const asked = { api, tenantId, stored: world.stored, points: new Map(), ...span }
  expect(listInSpan(asked, { owner: 'a', type: 'telemetry', name: 'run' }).length).toBeGreaterThan(10_001)
  await compareRaw(asked)
  for (const limit of [10_000, 10_001]) await compareSeries(asked, world.tenantNumber, limit)
})
