import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../test/harness/database.ts'
import { createQueries, type Queries, type Query } from './queries.ts'

let database: TestDatabase
let queries: Queries
beforeAll(async () => {
  database = await testDatabase()
  queries = createQueries(database.queryPool)
})
afterAll(() => database[Symbol.asyncDispose]())

const sleep = (query: Query, seconds: number) => sql`select pg_sleep(${seconds})`.execute(query.db)

test('a query that takes longer than five seconds ends with an answer that names the limit', async () => {
  using query = queries.open('a')
  await expect(sleep(query, 20)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('longer than 5 s'),
    details: { limitSeconds: 5 },
  })
  expect((await sql`select 1 as one`.execute(query.db)).rows).toEqual([{ one: 1 }])
})

test('other statements do not wait for queries, however many there are', async () => {
  const opened = ['a', 'b', 'c', 'd'].flatMap((tenantId) =>
    Array.from({ length: 6 }, () => queries.open(tenantId)),
  )
  const holder = await database.pool.connect()
  await holder.query('select pg_advisory_lock(1)')
  let answered = 0
  const running = opened.map(async (query) => {
    await sql`select pg_advisory_xact_lock_shared(1)`.execute(query.db)
    answered++
  })
  await expect.poll(() => countWaiting()).toBeGreaterThan(0)
  for (let count = 0; count < 20; count++) await sql`select 1`.execute(database.db)
  expect(answered).toBe(0)
  await holder.query('select pg_advisory_unlock(1)')
  holder.release()
  await Promise.all(running)
  for (const query of opened) query[Symbol.dispose]()
})

async function countWaiting() {
  const { rowCount } = await database.pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rowCount
}

test('a tenant with forty open queries is refused with a reason, other tenants are not', () => {
  const opened = Array.from({ length: 40 }, () => queries.open('a'))
  expect(() => queries.open('a')).toThrow(
    expect.objectContaining({
      code: 'rate_limited',
      message: expect.stringContaining('40 queries'),
      retryAfterSeconds: 5,
    }),
  )
  queries.open('b')[Symbol.dispose]()
  opened[0]![Symbol.dispose]()
  opened[0]![Symbol.dispose]()
  opened.push(queries.open('a'))
  expect(() => queries.open('a')).toThrow()
  for (const query of opened) query[Symbol.dispose]()
  queries.open('a')[Symbol.dispose]()
})
