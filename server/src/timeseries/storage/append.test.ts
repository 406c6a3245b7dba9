/** Appending samples, and dropping duplicates. [docs/telemetry#repeats] */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { insertTenant, storeSamples } from '../../../test/harness/telemetry.ts'
import { allSamples } from '../../../test/harness/sample-tables.ts'
import { appendNewRows, appendRows, isRepeated } from './append.ts'
import { createRowTables, ensurePartitions } from './row-tables.ts'
import type { SampleRow } from './sample-row.ts'
import type { Owner } from './series-key.ts'

let database: TestDatabase
let owner: Owner
let tenants = 0
beforeAll(async () => {
  database = await testDatabase()
})
beforeEach(async () => {
  owner = { tenantNumber: await insertTenant(database, `t${++tenants}`), ownerType: 'client', ownerId: 'p' }
})
afterAll(() => database[Symbol.asyncDispose]())

const now = Date.now()

async function stored() {
  const { rows } = await database.pool.query<{ time: Date; message_id: string; value: unknown }>(
    `select time, message_id, value from ${allSamples} sample join series on number = series_number
     where sample.tenant_number = $1 order by 1, 2, slot`,
    [owner.tenantNumber],
  )
  return rows
}

test('stores values of every type unchanged', async () => {
  const values = [
    0,
    -1.5,
    1e308,
    5e-324,
    0.1,
    true,
    false,
    '',
    'it\'s "so"\\',
    '日本 🚀',
    { a: [1, null, { b: 'x' }] },
    [],
    [1, 'a'],
    {},
  ]
  await storeSamples(
    database,
    owner,
    values.map((value, index) => ({ name: 's', time: now + index, value })),
  )
  expect((await stored()).map(({ value }) => value)).toEqual(values)
})

test('duplicates are dropped and reported', async () => {
  const sample = (messageId: bigint, value: unknown, name = 's') => ({ name, time: now, value, messageId })
  const first = await storeSamples(database, owner, [sample(1n, 1), sample(1n, 'x', 'o'), sample(2n, 2)])
  expect(first.stored.size).toBe(2)
  const again = await storeSamples(database, owner, [sample(3n, 3), sample(1n, 5), sample(4n, 'y', 'o')])
  expect([...again.stored].map(({ messageId }) => messageId)).toEqual([3n, 4n])
  expect((await stored()).map(({ message_id, value }) => [message_id, value])).toEqual([
    ['1', 1],
    ['1', 'x'],
    ['2', 2],
    ['3', 3],
    ['4', 'y'],
  ])
})

test('of two equal rows the first is stored; rows that must be new are refused as a whole', async () => {
  const tables = createRowTables()
  const row = (messageId: bigint, value: unknown): SampleRow => ({
    tenantNumber: owner.tenantNumber,
    streamNumber: 1,
    timeMs: now,
    messageId,
    slots: [1],
    values: [value],
  })
  const rows = [row(7n, 1), row(7n, 2), row(8n, 'x')]
  await ensurePartitions(database.pool, tables, rows)
  const { db } = database
  expect([...(await appendRows(db, tables, rows))]).toEqual([rows[0], rows[2]])
  const refusal = await appendNewRows(db, tables, [row(9n, 1), row(8n, 'x')]).catch((error: unknown) => error)
  expect(isRepeated(refusal)).toBe(true)
  await appendNewRows(db, tables, [row(9n, 2)])
  const found = await db
    .selectFrom('sample_rows')
    .select('numbers')
    .where('tenant_number', '=', owner.tenantNumber)
    .orderBy('message_id')
    .execute()
  expect(found.map(({ numbers }) => numbers)).toEqual([[1], null, [2]])
})

test('two messages with one timestamp are both kept', async () => {
  await storeSamples(
    database,
    owner,
    [1, 2, 3].map((value) => ({ name: 's', time: now, value })),
  )
  expect(await stored()).toHaveLength(3)
})

test('stores every millisecond from the year 1 to the year 9999', async () => {
  const times = [
    '0001-01-01T00:00:00.000Z',
    '0001-01-01T00:00:00.001Z',
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00.001Z',
    '9999-12-31T23:59:59.998Z',
    '9999-12-31T23:59:59.999Z',
  ]
  for (let index = 0; index < 200; index++)
    times.push(new Date(Math.floor(Math.random() * 3e14 - 6e13)).toISOString())
  const samples = times.map((time) => ({ name: 's', time, value: 1, messageId: 1n }))
  const wanted = [...new Set(times)].toSorted((a, b) => Date.parse(a) - Date.parse(b))
  await storeSamples(database, owner, samples)
  const again = await storeSamples(database, owner, samples)
  expect(again.stored.size).toBe(0)
  expect((await stored()).map(({ time }) => time.toISOString())).toEqual(wanted)
})

test('stores the whole range of message ids', async () => {
  const ids = [-(2n ** 63n), -1n, 0n, 2n ** 63n - 1n]
  await storeSamples(
    database,
    owner,
    ids.map((messageId) => ({ name: 's', time: now, value: 1, messageId })),
  )
  expect((await stored()).map(({ message_id }) => BigInt(message_id))).toEqual(ids)
})

test('concurrent batches with the same samples in other orders do not deadlock', async () => {
  await storeSamples(database, owner, [{ name: 's', time: now, value: 0, messageId: 0n }])
  const numbers = Array.from({ length: 2000 }, (_, index) => index)
  const makeRows = (order: number[]) =>
    order.map((index): SampleRow => ({
      tenantNumber: owner.tenantNumber,
      streamNumber: 1000 + (index % 7),
      timeMs: now + (index % 11),
      messageId: BigInt(index + 10),
      slots: [1],
      values: [index % 3 === 0 ? `s${index}` : index],
    }))
  const batches = [
    numbers,
    numbers.toReversed(),
    [...numbers.slice(1000), ...numbers.slice(0, 1000)],
    numbers,
  ].map(makeRows)
  const tables = createRowTables()
  await ensurePartitions(database.pool, tables, batches[0]!)
  const outcomes = await Promise.all(
    batches.map((rows) => database.db.transaction().execute((tx) => appendRows(tx, tables, rows))),
  )
  expect(outcomes.reduce((sum, { size }) => sum + size, 0)).toBe(numbers.length)
})

test('no rows are accepted', async () => {
  expect(await appendRows(database.db, createRowTables(), [])).toEqual(new Set())
})
