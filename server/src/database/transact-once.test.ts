import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../test/harness/database.ts'
import { transactOnce } from './transact-once.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.pool.query('create table written (value int)')
})
afterAll(() => database[Symbol.asyncDispose]())

const readWritten = async () => (await database.pool.query('select value from written')).rows

test('a transaction whose connection is lost before its commit runs again', async () => {
  let tries = 0
  const result = await transactOnce(database.db, 10_000, async (tx) => {
    await sql`insert into written values (1)`.execute(tx)
    if (tries++ === 0) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx)
    return 'written'
  })
  expect([result, tries]).toEqual(['written', 2])
  expect(await readWritten()).toEqual([{ value: 1 }])
})

test('data that PostgreSQL refuses is not tried again', async () => {
  let tries = 0
  const refused = transactOnce(database.db, 10_000, async (tx) => {
    tries++
    await sql`select 1 / 0`.execute(tx)
  })
  await expect(refused).rejects.toThrow('division by zero')
  expect(tries).toBe(1)
})
