/** Samples of an earlier version move into rows while they are read, interrupted at any moment. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../../test/harness/database.ts'
import { type FormerSample, storeFormerSamples } from '../../../../test/harness/former-samples.ts'
import { testLog as log } from '../../../../test/harness/log.ts'
import { rounds } from '../../../../test/harness/rounds.ts'
import { insertTenant, storeSamples } from '../../../../test/harness/telemetry.ts'
import { allSamples } from '../../../../test/harness/sample-tables.ts'
import { countToastReads } from '../../../../test/harness/toast-reads.ts'
import { DAY_MS } from '../partition-names.ts'
import { createRowTables } from '../row-tables.ts'
import { listFormerPartitions } from './former-partitions.ts'
import { findEnd } from './find-end.ts'
import { findFormerRows, hasFormerSamples } from './find-former.ts'
import { moveFormerSamples } from './move-former.ts'

let database: TestDatabase
let tenants = 0
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const makeTenant = () => insertTenant(database, `t${++tenants}`)
const createMove = () => ({ pool: database.pool, db: database.db, log, rowTables: createRowTables() })

/** Owner, name, time, message and value of every sample of a tenant, whichever table has it. */
async function listAll(tenantNumber: number) {
  const { rows } = await database.pool.query<Record<string, unknown>>(
    `select series.owner_type, series.owner_id, series.type, series.component_id, series.name,
       (date_part('epoch', sample.time) * 1000)::int8 as ms, value
     from ${allSamples} sample join series on series.number = sample.series_number
     where sample.tenant_number = $1 order by 1, 2, 3, 4, 5, 6, 7`,
    [tenantNumber],
  )
  return rows
}

const start = Date.UTC(2026, 2, 1)
const anySample: fc.Arbitrary<FormerSample> = fc.record({
  ownerType: fc.constantFrom('client', 'asset'),
  ownerId: fc.constantFrom('a', 'b'),
  type: fc.constantFrom('telemetry', 'propertyReported'),
  componentId: fc.constantFrom('', 'motor'),
  name: fc.constantFrom('s', 't', 'u'),
  // Some days have a partition, and all others are in the default one.
  time: fc.oneof(
    fc.integer({ min: 0, max: 5 }).map((ms) => start + ms),
    fc.integer({ min: -4, max: 4 }).map((days) => start + days * DAY_MS),
    fc.constantFrom(Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')),
  ),
  messageId: fc.bigInt({ min: 1n, max: 4n }),
  value: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0.1, 5e-324, 1.7976931348623157e308, -1e-300, 0),
    fc.constantFrom<unknown>('', 'text', 'ünï "🚀"', true, false, { a: [null, 1] }, []),
  ),
})

test('every sample is there once before, between and after any interruption', async () => {
  const property = fc.asyncProperty(
    fc.array(anySample, { maxLength: 60 }),
    fc.integer({ min: 1, max: 5 }),
    async (samples, limit) => {
      const tenantNumber = await makeTenant()
      await storeFormerSamples(database, tenantNumber, samples)
      const before = await listAll(tenantNumber)
      const limits = { samples: limit, bytes: 30 }
      for (let moves = 0; (await listFormerPartitions(database.pool)).length > 0; moves++) {
        // The first attempts break, each a little later.
        const move = moves < 8 ? breakAfter(createMove(), moves * 3) : createMove()
        await moveFormerSamples(move, { limits }).catch(() => false)
        expect(await listAll(tenantNumber)).toEqual(before)
      }
      expect(await countFormer()).toBe(0)
    },
  )
  await fc.assert(property, { numRuns: rounds(60, 4) })
})

async function countFormer() {
  const { rows } = await database.pool.query(
    'select ((select count(*) from samples) + (select count(*) from samples_other))::int as count',
  )
  return rows[0].count
}

/** A database whose connections fail after some statements, as if the process were killed. */
function breakAfter(move: ReturnType<typeof createMove>, statements: number) {
  let left = statements
  const db = move.db.withPlugin({
    transformQuery: ({ node }) => {
      if (left-- <= 0) throw new Error('The process was killed.')
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })
  return { ...move, db }
}

test('a number and a text of one series, time and message both stay', async () => {
  const tenantNumber = await makeTenant()
  const sample = {
    ownerType: 'client',
    ownerId: 'a',
    type: 'telemetry',
    componentId: '',
    name: 's',
    time: start,
  } as const
  await storeFormerSamples(database, tenantNumber, [
    { ...sample, messageId: 7n, value: 1 },
    { ...sample, messageId: 7n, value: 'one' },
  ])
  await moveFormerSamples(createMove())
  expect((await listAll(tenantNumber)).map(({ value }) => value)).toEqual(['one', 1])
})

test('a row that has some of the values gets the others', async () => {
  const tenantNumber = await makeTenant()
  const owner = { tenantNumber, ownerType: 'client', ownerId: 'a' } as const
  const common = { ...owner, type: 'telemetry', componentId: '', time: start, messageId: 5n } as const
  await storeFormerSamples(database, tenantNumber, [
    { ...common, name: 'a', value: 1 },
    { ...common, name: 'b', value: 2 },
    { ...common, name: 'c', value: 'x' },
    { ...common, name: 'd', value: 4 },
  ])
  await storeSamples(database, owner, [
    { ...common, name: 'b', value: 2 },
    { ...common, name: 'e', value: 'y' },
  ])
  await moveFormerSamples(createMove())
  expect((await listAll(tenantNumber)).map(({ name, value }) => [name, value])).toEqual([
    ['a', 1],
    ['b', 2],
    ['c', 'x'],
    ['d', 4],
    ['e', 'y'],
  ])
})

test('samples whose series was deleted are deleted', async () => {
  const tenantNumber = await makeTenant()
  const sample = { ownerType: 'asset', ownerId: 'a', type: 'telemetry', componentId: '', name: 's' } as const
  await storeFormerSamples(database, tenantNumber, [{ ...sample, time: start, messageId: 1n, value: 1 }])
  await database.pool.query('delete from series where tenant_number = $1', [tenantNumber])
  await moveFormerSamples(createMove())
  expect(await countFormer()).toBe(0)
})

test('a repeat of a message that is not moved yet is found, and one node at a time moves', async () => {
  const tenantNumber = await makeTenant()
  const owner = { tenantNumber, ownerType: 'client', ownerId: 'a' } as const
  const common = { ...owner, type: 'telemetry', componentId: '', time: start } as const
  await storeFormerSamples(database, tenantNumber, [
    { ...common, name: 'n', messageId: 1n, value: 1 },
    { ...common, name: 'o', messageId: 2n, value: 'x' },
  ])
  const { rows: streams } = await database.pool.query('select number from streams where tenant_number = $1', [
    tenantNumber,
  ])
  const row = (messageId: bigint, slot: number, timeMs = start) => ({
    tenantNumber,
    streamNumber: streams[0].number as number,
    timeMs,
    messageId,
    slots: [slot],
    values: [1],
  })
  const rows = [row(1n, 1), row(2n, 2), row(3n, 1), row(1n, 1, start + 1000)]
  const find = async (windowMs: number) => [...(await findFormerRows(database.db, rows, () => windowMs))]
  expect(await find(0)).toEqual([rows[0], rows[1]])
  expect(await find(5000)).toEqual([rows[0], rows[1], rows[3]])
  const tables = createRowTables()
  expect(await hasFormerSamples(database.pool, tables, 0)).toBe(true)
  await Promise.all([1, 2, 3].map(() => moveFormerSamples(createMove())))
  await expect.poll(() => moveFormerSamples(createMove()).then(countFormer)).toBe(0)
  expect(await hasFormerSamples(database.pool, tables, 10)).toBe(true)
  expect(await hasFormerSamples(database.pool, tables, 60_000)).toBe(false)
})

test('samples of one time are moved in parts, without reading the large values of the other parts', async () => {
  const tenantNumber = await makeTenant()
  const common = {
    ownerType: 'client',
    ownerId: 'a',
    type: 'telemetry',
    componentId: '',
    time: start,
  } as const
  const messages = Array.from({ length: 20 }, (_, index) => BigInt(index))
  await storeFormerSamples(
    database,
    tenantNumber,
    messages.flatMap((messageId) => [
      { ...common, name: 'n', messageId, value: 1 },
      { ...common, name: 'o', messageId, value: randomBytes(20_000).toString('hex') },
    ]),
  )
  const condition = sql`tenant_number = ${tenantNumber}::int`
  await database.db.transaction().execute(async (tx) => {
    const find = (samples: number, bytes: number) => findEnd(tx, condition, { samples, bytes })
    const reads = await countToastReads(tx, async () => {
      expect(await find(1000, 1e9)).toBeUndefined()
      expect(await find(1000, 1000)).toEqual({ time: new Date(start), messageId: '0' })
      expect(await find(5, 1e9)).toEqual({ time: new Date(start), messageId: '5' })
    })
    expect(reads).toBe(0)
  })
  await moveFormerSamples(createMove(), { limits: { samples: 3, bytes: 1e9 }, untilMs: 0 })
  const { rows } = await database.pool.query(
    'select message_id::int as id from sample_rows where tenant_number = $1 order by 1',
    [tenantNumber],
  )
  expect(rows.map(({ id }) => id)).toEqual([0, 1, 2, 3])
  await moveFormerSamples(createMove())
  expect(await countFormer()).toBe(0)
})

test('values are measured that are much larger than their compressed size lets expect', async () => {
  const tenantNumber = await makeTenant()
  const common = { ownerType: 'client', ownerId: 'a', type: 'telemetry', componentId: '', name: 's' } as const
  await storeFormerSamples(
    database,
    tenantNumber,
    Array.from({ length: 6 }, (_, index) => ({
      ...common,
      time: start + index,
      messageId: 1n,
      value: ' '.repeat(60_000),
    })),
  )
  const before = await listAll(tenantNumber)
  await moveFormerSamples(createMove(), { limits: { samples: 1000, bytes: 150_000 }, untilMs: 0 })
  expect(await countFormer()).toBe(4)
  await moveFormerSamples(createMove())
  expect(await listAll(tenantNumber)).toEqual(before)
})

test('a partition that cannot be moved does not stop those of other tenants', async () => {
  const tenantNumbers = [await makeTenant(), await makeTenant()]
  const common = {
    ownerType: 'client',
    ownerId: 'a',
    type: 'telemetry',
    componentId: '',
    time: start,
  } as const
  for (const tenantNumber of tenantNumbers)
    await storeFormerSamples(database, tenantNumber, [{ ...common, name: 's', messageId: 1n, value: 1 }])
  await database.pool.query(
    `alter table sample_rows add constraint refused check (tenant_number <> ${tenantNumbers[0]}) not valid`,
  )
  await expect(moveFormerSamples(createMove())).rejects.toThrow('refused')
  const { rows } = await database.pool.query('select tenant_number as number from samples')
  expect(rows).toEqual([{ number: tenantNumbers[0] }])
  await database.pool.query('alter table sample_rows drop constraint refused')
  // The connection of the move that failed is being closed, and has the lock until then.
  await expect.poll(() => moveFormerSamples(createMove()).then(countFormer)).toBe(0)
})
