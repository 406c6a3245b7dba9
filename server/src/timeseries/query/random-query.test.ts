/** Random messages, in any order, repeated and late: every query gives what a plain list in memory gives. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { storeFormerSamples } from '../../../test/harness/former-samples.ts'
import { Killed, killAfter } from '../../../test/harness/kill-after.ts'
import { testLog as log } from '../../../test/harness/log.ts'
import { rounds } from '../../../test/harness/rounds.ts'
import { insertTenant, storeSamples } from '../../../test/harness/telemetry.ts'
import { moveFormerSamples } from '../storage/former/move-former.ts'
import { createRowTables } from '../storage/row-tables.ts'
import type { Owner } from '../storage/series-key.ts'
import { packSamples } from '../storage/packed/pack-samples.ts'
import type { PackLimits } from '../storage/packed/row-key.ts'
import { listSeriesNamed, type Series } from '../storage/series.ts'
import { parseWhere } from '../where-clause/parse.ts'
import { bucketPages } from './aggregate.ts'
import type { Aggregation } from './aggregation.ts'
import { roundWhole, sumWhole } from './exact-sum.ts'
import { hasSampleSince } from './has-sample-since.ts'
import { listLastValues } from './last-known.ts'
import { latestSamples } from './latest.ts'
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

const HOUR_MS = 3_600_000
const FEW_RUNS = 5
/** Clocks in Berlin change on this day. */
const start = Date.parse('2026-03-29T00:00:00Z')

interface Message {
  time: number
  messageId: bigint
  /** By the name of the series. */
  values: Record<string, unknown>
  isFormer: boolean
  /** The packing after the message is stored. */
  packing: Packing
}

/** Either nothing, or a packing whose process is killed after some statements. */
type Packing = 'nothing' | { statements: number; limits: PackLimits }

/** Sums of quarters are exact in any order. */
const tame = fc.oneof(
  fc.integer({ min: -4000, max: 4000 }).map((quarters) => quarters / 4),
  fc.constantFrom<unknown>(true, false, '', 'b', 'ä', 'Z', { a: [null, 1.5] }, [], ['x']),
)
const anyDouble = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 0, 5e-324, 1.7976931348623157e308, -1.7976931348623157e308),
)
/** The limits are small, so that few messages need several transactions and pieces. */
const anyPacking: fc.Arbitrary<Packing> = fc.option(
  fc.record({
    statements: fc.oneof(fc.constant(Infinity), fc.nat({ max: 40 })),
    limits: fc.record({
      rows: fc.integer({ min: 1, max: 6 }),
      cells: fc.integer({ min: 1, max: 20 }),
      streams: fc.integer({ min: 1, max: 3 }),
      pieceRows: fc.integer({ min: 1, max: 6 }),
      pieceCells: fc.integer({ min: 1, max: 30 }),
      merged: fc.record({
        rows: fc.integer({ min: 1, max: 20 }),
        cells: fc.integer({ min: 1, max: 60 }),
        days: fc.integer({ min: 1, max: 9 }),
      }),
      // Usual limits make no rollups of so few values.
      rollups: fc.record({
        values: fc.integer({ min: 1, max: 2 }),
        valuesABucket: fc.constantFrom(0, 0, 1.5),
      }),
    }),
  }),
  { nil: 'nothing' as const, freq: 2 },
)
const anyMessage: fc.Arbitrary<Message> = fc
  .record({
    time: fc.oneof(
      fc.integer({ min: -30, max: 50 }).map((hours) => start + hours * HOUR_MS),
      fc.integer({ min: 0, max: 4 }).map((ms) => start + ms),
      fc.integer({ min: -30, max: 30 }).map((steps) => start + steps * 150_000),
      fc.constantFrom(Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.998Z')),
    ),
    messageId: fc.bigInt({ min: -2n, max: 2n }),
    values: fc.record({ tame, other: tame, double: anyDouble }, { requiredKeys: [] }),
    isFormer: fc.boolean(),
    packing: anyPacking,
  })
  .map(dropSignOfFormerZero)

/** Earlier versions stored no sign of zero. */
function dropSignOfFormerZero(message: Message): Message {
  if (!message.isFormer || message.values.double !== 0) return message
  return { ...message, values: { ...message.values, double: 0 } }
}

/** The first message of each time and id counts. */
const removeRepeats = (messages: Message[]) => [
  ...new Map(messages.toReversed().map((one) => [`${one.time} ${one.messageId}`, one])).values(),
]

async function store(owner: Owner, messages: Message[]): Promise<void> {
  const listSamples = (some: Message[]) =>
    some.flatMap(({ time, messageId, values }) =>
      Object.entries(values).map(([name, value]) => ({
        name,
        value,
        time,
        messageId,
        type: 'telemetry' as const,
      })),
    )
  const former = removeRepeats(messages).filter(({ isFormer }) => isFormer)
  const isMoved = messages.length % 2 === 0
  await storeFormerSamples(
    database,
    owner.tenantNumber,
    listSamples(former).map((sample) => ({
      ...sample,
      ownerType: owner.ownerType,
      ownerId: owner.ownerId,
      componentId: '',
    })),
  )
  if (isMoved)
    await moveFormerSamples({ pool: database.pool, db: database.db, log, rowTables: createRowTables() })
  const later = messages.filter(
    (one) => !former.some((f) => f.time === one.time && f.messageId === one.messageId),
  )
  // In several transactions, with all repeats; each message has one row.
  for (const message of later) {
    const samples = listSamples([message])
    if (samples.length > 0) await storeSamples(database, owner, samples)
    if (message.packing !== 'nothing') await pack(message.packing)
  }
}

async function pack({ statements, limits }: Exclude<Packing, 'nothing'>): Promise<void> {
  const db = killAfter(database.db, statements)
  await packSamples({ pool: database.pool, db, log }, { limits }).catch((error: unknown) => {
    if (!(error instanceof Killed)) throw error
  })
}

interface Point {
  time: number
  value: unknown
}

const inOrder = (messages: Message[], name: string): Point[] =>
  removeRepeats(messages)
    .filter(({ values }) => Object.hasOwn(values, name))
    .toSorted((a, b) => a.time - b.time || Number(a.messageId - b.messageId))
    .map(({ time, values }) => ({ time, value: values[name] }))

async function read(pages: AsyncGenerator<Page, boolean>): Promise<Point[]> {
  const points: Point[] = []
  for await (const { pieces } of pages)
    for (const [time, value] of readPoints<[number, unknown]>(pieces)) points.push({ time, value })
  return points
}

async function lastKnown(series: Series, timeMs: number): Promise<unknown> {
  return (await listLastValues(database.db, [{ key: series, timeMs }]))(series, timeMs)?.value
}

async function isSampledSince({ tenantNumber, number }: Series, timeMs: number): Promise<boolean> {
  const has = hasSampleSince({ tenantNumber, series: 's' }, sql`${new Date(timeMs)}::timestamptz`)
  const { rows } = await sql<{
    has: boolean
  }>`select ${has} as has from series s where number = ${number}`.execute(database.db)
  return rows[0]!.has
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** @returns undefined if the type applies to none of the values */
function aggregate(type: Aggregation['type'], values: unknown[]): unknown {
  const numbers = values.filter((value) => typeof value === 'number')
  const strings = values.filter((value) => typeof value === 'string').toSorted(byBytes)
  const countable = values
    .filter((value) => typeof value === 'number' || typeof value === 'boolean')
    .map(Number)
  const sorted = countable.toSorted((a, b) => a - b)
  const sum = sumWhole(countable)
  switch (type) {
    case 'first':
      return values[0]
    case 'last':
      return values.at(-1)
    case 'min':
      return numbers.length > 0 ? Math.min(...numbers) : strings[0]
    case 'max':
      return numbers.length > 0 ? Math.max(...numbers) : strings.at(-1)
    case 'sum':
      return countable.length > 0 ? roundWhole(sum) : undefined
    case 'avg':
      return countable.length > 0 ? averageWhole(sum, countable.length) : undefined
    case 'median':
      return sorted.length > 0
        ? (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2
        : undefined
  }
}

/** A sum beyond the largest double is infinite, because `JSON.parse` reads it so; an average is always finite. */
const averageWhole = (whole: bigint, count: number) =>
  Number.isFinite(roundWhole(whole)) ? roundWhole(whole) / count : roundWhole(whole / BigInt(count))

const dayIn = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('sv', { timeZone, era: 'short' })
  return (ms: number) => format.format(ms)
}
const everyMs = (count: number): [Pick<Aggregation, 'interval' | 'timeZone'>, (ms: number) => unknown] => [
  { timeZone: 'UTC', interval: { unit: 'ms', count } },
  (ms) => Math.floor(ms / count),
]
const grids: [Pick<Aggregation, 'interval' | 'timeZone'>, (ms: number) => unknown][] = [
  [{ timeZone: 'UTC' }, () => 'all'],
  everyMs(6 * HOUR_MS),
  everyMs(HOUR_MS),
  everyMs(600_000),
  everyMs(420_000),
  everyMs(2),
  [
    { timeZone: 'UTC', interval: { unit: 'days', count: 7 } },
    (ms) => Math.floor((ms - Date.UTC(1970, 0, 5)) / (7 * 24 * HOUR_MS)),
  ],
  [{ timeZone: 'Europe/Berlin', interval: { unit: 'days', count: 1 } }, dayIn('Europe/Berlin')],
  [{ timeZone: 'Asia/Kolkata', interval: { unit: 'days', count: 1 } }, dayIn('Asia/Kolkata')],
  [
    { timeZone: 'UTC', interval: { unit: 'months', count: 1 } },
    (ms) => new Date(ms).toISOString().slice(0, 7),
  ],
]

function aggregateAll(
  type: Aggregation['type'],
  points: Point[],
  bucket: (ms: number) => unknown,
): unknown[] {
  const buckets = new Map<unknown, unknown[]>()
  for (const { time, value } of points)
    buckets.set(bucket(time), [...(buckets.get(bucket(time)) ?? []), value])
  return [...buckets.values()].flatMap((values) => {
    const value = aggregate(type, values)
    return value === undefined ? [] : [value]
  })
}

/** Removes the sign of zero, which is undefined for sums, averages, minima and maxima. */
const withoutSign = (values: unknown[]) => values.map((value) => (value === 0 ? 0 : value))

const filters: [string, (point: Point) => boolean][] = [
  ['value > 1', ({ value }) => typeof value === 'number' && value > 1],
  [
    "value >= 'b' OR value = true",
    ({ value }) => value === true || (typeof value === 'string' && byBytes(value, 'b') >= 0),
  ],
  [
    'NOT value BETWEEN -100 AND 100',
    ({ value }) => !(typeof value === 'number' && value >= -100 && value <= 100),
  ],
  [`time > '${new Date(start).toISOString()}'`, ({ time }) => time > start],
]

test('responses equal those of a list in memory', async () => {
  const property = fc.asyncProperty(
    fc.array(anyMessage, { minLength: 1, maxLength: 40 }),
    fc.integer({ min: -20, max: 20 }),
    fc.integer({ min: -20, max: 60 }),
    fc.boolean(),
    async (anyMessages, fromHour, toHour, sharesPass) => {
      const messages = anyMessages.filter(({ values }) => Object.keys(values).length > 0)
      const owner: Owner = {
        tenantNumber: await insertTenant(database, `q${++tenants}`),
        ownerType: 'client',
        ownerId: 'a',
      }
      await store(owner, messages)
      const { db } = database
      for (const series of await listSeriesNamed(db, [owner], ['tame', 'double'])) {
        const all = inOrder(messages, series.name)
        const [from, to] =
          fromHour % 5 === 0
            ? [Date.parse('0001-01-01'), Date.parse('9999-12-31T23:59:59.999Z')]
            : [start + fromHour * HOUR_MS, start + toHour * HOUR_MS]
        const points = all.filter(({ time }) => time >= from && time < to)
        const selection = { series, modelId: null, from, to }
        const output = { format: timedValues, limit: 1000 }
        expect(await read(samplePages(db, selection, output))).toEqual(points)
        for (const [clause, passes] of filters)
          expect(await read(samplePages(db, { ...selection, where: parseWhere(clause) }, output))).toEqual(
            points.filter(passes),
          )
        const newest = (await latestSamples(db, owner.tenantNumber, [series.number])).get(series.number)
        expect(newest).toEqual(all.at(-1))
        const known = all.findLast(({ time }) => time <= to)?.value
        expect(withoutSign([await lastKnown(series, to)])).toEqual(withoutSign([known]))
        expect(await isSampledSince(series, from)).toBe(all.some(({ time }) => time > from))
        const types =
          series.name === 'tame'
            ? (['avg', 'sum', 'median', 'min', 'max', 'first', 'last'] as const)
            : (['avg', 'sum', 'min', 'max', 'first', 'last'] as const)
        for (const [grid, bucket] of grids) {
          // Both alone and with others.
          const pass = sharesPass ? createSharedPass([...types]) : undefined
          for (const type of types) {
            const pages = bucketPages(db, selection, { aggregation: { type, ...grid }, pass, ...output })
            const values = (await read(pages)).map(({ value }) => value)
            const expected = aggregateAll(type, points, bucket)
            const isOfSamples = type === 'first' || type === 'last'
            expect(isOfSamples ? values : withoutSign(values)).toEqual(
              isOfSamples ? expected : withoutSign(expected),
            )
          }
        }
      }
    },
  )
  const numRuns = rounds(100, FEW_RUNS)
  await fc.assert(property, { numRuns })
  // A few runs may make no piece that is long enough for rollups.
  if (numRuns === FEW_RUNS) return
  const { rows } = await database.pool.query('select from packed_rows where rollups is not null limit 1')
  expect(rows).toHaveLength(1)
})
