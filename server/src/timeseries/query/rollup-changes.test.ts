/**
 * Random operations on stored samples, with packing in between: late messages, repeats, values that an import adds,
 * deleted owners, and retention. Queries through rollups then give the same as from samples. [docs/telemetry#rollups]
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { Killed, killAfter } from '../../../test/harness/kill-after.ts'
import { testLog as log } from '../../../test/harness/log.ts'
import { rounds } from '../../../test/harness/rounds.ts'
import { insertTenant, storeSamples } from '../../../test/harness/telemetry.ts'
import { aggregationTypes } from '../../lib/aggregation-types.ts'
import { orderRows } from '../storage/append.ts'
import { deleteSamples } from '../storage/delete-samples.ts'
import { mergeRows } from '../storage/merge-rows.ts'
import { cutExpiredPieces } from '../storage/packed/cut-expired.ts'
import { deleteExpiredPacked } from '../storage/packed/delete-packed.ts'
import { dropPackedValues } from '../storage/packed/drop-packed-values.ts'
import { packSamples } from '../storage/packed/pack-samples.ts'
import { DAY_MS, dayNumber } from '../storage/partition-names.ts'
import { dropExpiredPartitions } from '../storage/partitions.ts'
import { createRowTables, ensurePartitions } from '../storage/row-tables.ts'
import type { Owner } from '../storage/series-key.ts'
import { listSeriesNamed, type Series } from '../storage/series.ts'
import { bucketPages } from './aggregate.ts'
import type { Aggregation } from './aggregation.ts'
import type { Page } from './page.ts'
import { readPoints, timedValues } from './point-format.ts'
import { samplePages } from './raw.ts'
import { createSharedPass } from './shared-pass.ts'

let database: TestDatabase
let tenants = 0
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const FEW_RUNS = 8
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAYS = 3
const start = (dayNumber(Date.now()) - 6) * DAY_MS
const names = ['decimal', 'double', 'late']
/** A median is always computed from samples, and so are the other types beside one. */
const types = aggregationTypes.filter((type) => type !== 'median')

interface Message {
  /** Milliseconds after `start`. */
  offset: number
  messageId: bigint
  values: Record<string, number>
}

const anyMessage: fc.Arbitrary<Message> = fc.record({
  offset: fc.oneof(
    fc.integer({ min: 0, max: DAYS * 24 * 12 - 1 }).map((step) => step * 5 * MINUTE_MS),
    fc.integer({ min: 0, max: 40 }).map((step) => step * 30_000),
    fc.integer({ min: 0, max: DAYS * DAY_MS - 1 }),
  ),
  messageId: fc.bigInt({ min: 0n, max: 2n }),
  values: fc.record(
    {
      decimal: fc.integer({ min: -5000, max: 5000 }).map((hundredths) => hundredths / 100),
      double: fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(0, -0, 1e300, -1e300, 1e-300, 0.1, 1.7976931348623157e308),
      ),
      late: fc.integer({ min: -3, max: 3 }),
    },
    { requiredKeys: [] },
  ),
})
const someMessages = fc
  .array(anyMessage, { minLength: 1, maxLength: 12 })
  .map((messages) => messages.filter(({ values }) => Object.keys(values).length > 0))

/** The limits are small, so that few messages need several transactions and pieces. */
const anyLimits = fc.record({
  rows: fc.integer({ min: 1, max: 12 }),
  cells: fc.integer({ min: 1, max: 40 }),
  streams: fc.integer({ min: 1, max: 2 }),
  pieceRows: fc.oneof(fc.integer({ min: 2, max: 12 }), fc.constant(100)),
  pieceCells: fc.oneof(fc.integer({ min: 4, max: 40 }), fc.constant(500)),
  merged: fc.record({
    rows: fc.integer({ min: 2, max: 60 }),
    cells: fc.integer({ min: 10, max: 200 }),
    days: fc.integer({ min: 1, max: DAYS }),
  }),
  // Usual limits make no rollups of so few values.
  rollups: fc.record({ values: fc.integer({ min: 1, max: 2 }), valuesABucket: fc.constantFrom(0, 0, 1.5) }),
})

/** The statements after which the process is killed. */
const someStatements = fc.oneof(fc.constant(Infinity), fc.nat({ max: 30 }))

const anyOperation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('store' as const), messages: someMessages }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('import' as const), messages: someMessages }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('pack' as const),
      limits: anyLimits,
      statements: someStatements,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteOwner' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('expire' as const),
      days: fc.nat({ max: DAYS }),
      statements: someStatements,
    }),
  },
)
type Operation = typeof anyOperation extends fc.Arbitrary<infer Generated> ? Generated : never

/** Stored messages by time and id. */
type Stored = Map<string, Message>

const keyOf = ({ offset, messageId }: Message) => `${offset} ${messageId}`

const listSamples = (messages: Message[]) =>
  messages.flatMap(({ offset, messageId, values }) =>
    Object.entries(values).map(([name, value]) => ({ name, value, messageId, time: start + offset })),
  )

async function apply(owner: Owner, stored: Stored, operation: Operation): Promise<void> {
  switch (operation.kind) {
    case 'store':
      return storeMessages(owner, stored, operation.messages)
    case 'import':
      for (const message of operation.messages) await importMessage(owner, stored, message)
      return
    case 'pack':
      return pack(operation)
    case 'deleteOwner':
      stored.clear()
      return deleteOwner(owner)
    case 'expire':
      for (const [key, { offset }] of stored) if (offset < operation.days * DAY_MS) stored.delete(key)
      return expire(owner, operation)
  }
}

/** Of a repeat, nothing is stored. */
async function storeMessages(owner: Owner, stored: Stored, messages: Message[]): Promise<void> {
  const first = [...new Map(messages.toReversed().map((one) => [keyOf(one), one])).values()]
  for (const message of first) if (!stored.has(keyOf(message))) stored.set(keyOf(message), message)
  await storeSamples(database, owner, listSamples(first))
}

/** As for a file that is imported again after new bindings: a stored message gets the values that it has not. */
async function importMessage(owner: Owner, stored: Stored, message: Message): Promise<void> {
  const known = stored.get(keyOf(message))
  stored.set(keyOf(message), { ...message, values: { ...message.values, ...known?.values } })
  const { rows, stored: isNew } = await storeSamples(database, owner, listSamples([message]))
  const repeated = rows.filter((row) => !isNew.has(row))
  const tables = createRowTables()
  await ensurePartitions(database.pool, tables, repeated)
  await database.db.transaction().execute(async (tx) => {
    await mergeRows(tx, tables, await dropPackedValues(tx, orderRows(repeated)))
  })
}

async function pack({ statements, limits }: Extract<Operation, { kind: 'pack' }>): Promise<void> {
  const db = killAfter(database.db, statements)
  await packSamples({ pool: database.pool, db, log }, { limits }).catch(ignoreKilled)
}

function ignoreKilled(error: unknown): void {
  if (!(error instanceof Killed)) throw error
}

async function deleteOwner({ tenantNumber }: Owner): Promise<void> {
  const { rows } = await database.pool.query<{ number: number }>(
    'select number from streams where tenant_number = $1',
    [tenantNumber],
  )
  await database.pool.query('delete from series where tenant_number = $1', [tenantNumber])
  await database.pool.query('delete from streams where tenant_number = $1', [tenantNumber])
  const streamNumbers = rows.map(({ number }) => number)
  await deleteSamples(database.pool, { tenantNumber, seriesNumbers: [], streamNumbers })
}

/** @param days days after `start` whose samples expire */
async function expire(
  { tenantNumber }: Owner,
  { days, statements }: Extract<Operation, { kind: 'expire' }>,
): Promise<void> {
  const setRetention = (retention: number | null) =>
    database.pool.query('update tenants set telemetry_retention_days = $2 where number = $1', [
      tenantNumber,
      retention,
    ])
  await setRetention(1)
  const nowMs = start + (days + 1) * DAY_MS
  await dropExpiredPartitions(database.pool, log, nowMs)
  await deleteExpiredPacked(database.pool, nowMs)
  const db = killAfter(database.db, statements)
  await cutExpiredPieces({ pool: database.pool, db }, { nowMs }).catch(ignoreKilled)
  await cutExpiredPieces(database, { nowMs })
  await setRetention(null)
}

async function countPiecesOfDays({ tenantNumber }: Owner): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    'select count(day_values)::int as count from packed_rows where tenant_number = $1',
    [tenantNumber],
  )
  return rows[0]!.count
}

async function read(pages: AsyncGenerator<Page, boolean>) {
  const points: [number, unknown][] = []
  for await (const { pieces } of pages) points.push(...readPoints<[number, unknown]>(pieces))
  return points
}

/** The sign of zero is undefined for all aggregates but the first and last value. */
const withoutSign = (points: [number, unknown][]) =>
  points.map(([time, value]) => [time, value === 0 ? 0 : value])

const grids: Pick<Aggregation, 'interval' | 'timeZone'>[] = [
  { timeZone: 'UTC' },
  { timeZone: 'UTC', interval: { unit: 'ms', count: 5 * MINUTE_MS } },
  { timeZone: 'UTC', interval: { unit: 'ms', count: HOUR_MS } },
  { timeZone: 'UTC', interval: { unit: 'ms', count: 7 * HOUR_MS } },
  { timeZone: 'Europe/Berlin', interval: { unit: 'days', count: 1 } },
  { timeZone: 'Asia/Kolkata', interval: { unit: 'days', count: 1 } },
]

interface Span {
  from: number
  to: number
}

async function aggregate(all: Series[], span: Span) {
  const found: unknown[] = []
  for (const series of all)
    for (const grid of grids) {
      const pass = createSharedPass(types)
      for (const type of types) {
        const aggregation = { type, ...grid }
        const selection = { series, modelId: null, ...span }
        const points = await read(
          bucketPages(database.db, selection, { aggregation, pass, format: timedValues, limit: 10_000 }),
        )
        const isOfSamples = type === 'first' || type === 'last'
        found.push([series.name, aggregation, isOfSamples ? points : withoutSign(points)])
      }
    }
  return found
}

/** Its piece has rollups, is of several days and is cut by the retention, whatever else is generated. */
const example: Operation[] = [
  {
    kind: 'store',
    messages: Array.from({ length: DAYS * 6 }, (_, index) => ({
      offset: index * 4 * HOUR_MS,
      messageId: 1n,
      values: { decimal: index / 4 },
    })),
  },
  {
    kind: 'pack',
    limits: {
      rows: 100,
      cells: 1000,
      streams: 2,
      pieceRows: 100,
      pieceCells: 500,
      merged: { rows: 60, cells: 200, days: DAYS },
      rollups: { values: 1, valuesABucket: 0 },
    },
    statements: Infinity,
  },
  { kind: 'expire', days: 1, statements: Infinity },
]

test('queries through rollups give the same as from samples, whatever was stored, added or deleted', async () => {
  let piecesWithRollups = 0
  let piecesOfDays = 0
  const property = fc.asyncProperty(
    fc.array(anyOperation, { minLength: 2, maxLength: 12 }),
    fc.integer({ min: 0, max: DAYS * 24 }),
    fc.constantFrom(0, 1, 12_345, 5 * MINUTE_MS),
    async (operations, hours, edgeMs) => {
      const owner: Owner = {
        tenantNumber: await insertTenant(database, `r${++tenants}`),
        ownerType: 'client',
        ownerId: 'a',
      }
      const stored: Stored = new Map()
      for (const operation of operations) await apply(owner, stored, operation)

      const span = { from: start + edgeMs, to: start + (hours === 0 ? DAYS * 24 : hours) * HOUR_MS }
      const all = await listSeriesNamed(database.db, [owner], names)
      for (const series of all) {
        const expected = [...stored.values()]
          .filter(({ offset, values }) => {
            const time = start + offset
            return Object.hasOwn(values, series.name) && time >= span.from && time < span.to
          })
          .toSorted((a, b) => a.offset - b.offset || Number(a.messageId - b.messageId))
          .map(({ offset, values }) => [start + offset, values[series.name]])
        const output = { format: timedValues, limit: 10_000 }
        expect(await read(samplePages(database.db, { series, modelId: null, ...span }, output))).toEqual(
          expected,
        )
      }
      const throughRollups = await aggregate(all, span)
      const { rowCount } = await database.pool.query(
        'update packed_rows set rollups = null, rollup_ends = null where tenant_number = $1 and rollups is not null',
        [owner.tenantNumber],
      )
      piecesWithRollups += rowCount ?? 0
      piecesOfDays += await countPiecesOfDays(owner)
      expect(throughRollups).toEqual(await aggregate(all, span))
    },
  )
  const numRuns = rounds(100, FEW_RUNS)
  await fc.assert(property, { numRuns, examples: [[example, 0, 0]] })
  // A few runs may make no piece that is long enough.
  if (numRuns === FEW_RUNS) return
  expect(piecesWithRollups).toBeGreaterThan(0)
  expect(piecesOfDays).toBeGreaterThan(0)
})
