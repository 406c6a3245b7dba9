/** Appending samples, and dropping duplicates. [docs/telemetry#repeats] */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { insertTenant, storeSamples } from '../../../test/harness/telemetry.ts'
import { appendSamples } from './append.ts'
import { createPartitions, ensurePartitions } from './ensure-partitions.ts'
import { emptySampleBatch, type SampleBatch } from './sample-batch.ts'
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
  const { rows } = await sql<{ time: Date; message_id: string; value: unknown }>`
    select time, message_id, to_jsonb(value) as value from samples where tenant_number = ${owner.tenantNumber}
    union all select time, message_id, value from samples_other where tenant_number = ${owner.tenantNumber}
    order by 1, 2`.execute(database.db)
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
  expect(await storeSamples(database, owner, [sample(1n, 1), sample(1n, 'x', 'o'), sample(2n, 2)])).toEqual({
    repeats: [],
  })
  const again = [
    sample(3n, 3),
    sample(1n, 1),
    sample(3n, 3),
    sample(1n, 'x', 'o'),
    sample(4n, 'y', 'o'),
    sample(4n, 'y', 'o'),
  ]
  expect(await storeSamples(database, owner, again)).toEqual({ repeats: [1, 2, 3, 5] })
  expect((await stored()).map(({ message_id, value }) => [message_id, value])).toEqual([
    ['1', 1],
    ['1', 'x'],
    ['2', 2],
    ['3', 3],
    ['4', 'y'],
  ])
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
  const { repeats } = await storeSamples(database, owner, samples)
  expect(repeats).toHaveLength(samples.length)
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
  const makeBatch = (order: number[]): SampleBatch => ({
    tenantNumber: order.map(() => owner.tenantNumber),
    seriesNumber: order.map((index) => 1 + (index % 7)),
    time: order.map((index) => now + (index % 11)),
    messageId: order.map((index) => BigInt(index + 10)),
    value: order.map((index) => (index % 3 === 0 ? `s${index}` : index)),
  })
  const batches = [
    numbers,
    numbers.toReversed(),
    [...numbers.slice(1000), ...numbers.slice(0, 1000)],
    numbers,
  ].map(makeBatch)
  await ensurePartitions(database.pool, createPartitions(), batches[0]!)
  const outcomes = await Promise.all(
    batches.map((batch) => database.db.transaction().execute((tx) => appendSamples(tx, batch))),
  )
  const repeats = outcomes.reduce((sum, outcome) => sum + outcome.repeats.length, 0)
  expect(repeats).toBe(3 * numbers.length)
  expect(await stored()).toHaveLength(1 + numbers.length)
})

test('an empty batch is accepted', async () => {
  expect(await appendSamples(database.db, emptySampleBatch())).toEqual({ repeats: [] })
})
