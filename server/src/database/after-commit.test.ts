import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '../../test/harness/database.ts'
import { afterCommit } from './after-commit.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.pool.query(
    'create table parents (id int primary key);' +
      'create table children (parent int references parents deferrable initially deferred)',
  )
})
afterAll(() => database[Symbol.asyncDispose]())

test('an action runs after the commit, and before the caller of the transaction goes on', async () => {
  const { db, pool } = database
  const action = vi.fn<() => void>()
  await db.transaction().execute(async (tx) => {
    await sql`insert into parents values (1)`.execute(tx)
    await afterCommit(tx, action)
    expect(action).not.toHaveBeenCalled()
  })
  expect(action).toHaveBeenCalledTimes(1)
  expect((await pool.query('select id from parents')).rows).toEqual([{ id: 1 }])
})

test('an action of a transaction that is rolled back never runs, not even after the next one', async () => {
  const action = vi.fn<() => void>()
  const failed = database.db.transaction().execute(async (tx) => {
    await afterCommit(tx, action)
    throw new Error('rolled back')
  })
  await expect(failed).rejects.toThrow('rolled back')
  // Every connection of the pool has a transaction.
  await Promise.all(
    Array.from({ length: 10 }, () => database.db.transaction().execute((tx) => sql`select 1`.execute(tx))),
  )
  expect(action).not.toHaveBeenCalled()
})

test('an action of a commit that PostgreSQL refuses never runs', async () => {
  const action = vi.fn<() => void>()
  const failed = database.db.transaction().execute(async (tx) => {
    await sql`insert into children values (404)`.execute(tx)
    await afterCommit(tx, action)
  })
  await expect(failed).rejects.toThrow('children_parent_fkey')
  expect(action).not.toHaveBeenCalled()
})

test('an action of a commit without an answer runs, since it may have taken place', async () => {
  const action = vi.fn<() => void>()
  const failed = database.db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
    await afterCommit(tx, action)
    await database.pool.query('select pg_terminate_backend($1, 60000)', [rows[0]!.pid])
  })
  await expect(failed).rejects.toThrow()
  expect(action).toHaveBeenCalledTimes(1)
})

test('controlled transactions run their actions too; without a transaction they run at once', async () => {
  const action = vi.fn<() => void>()
  await afterCommit(database.db, action)
  expect(action).toHaveBeenCalledTimes(1)
  const tx = await database.db.startTransaction().execute()
  await afterCommit(tx, action)
  expect(action).toHaveBeenCalledTimes(1)
  await tx.commit().execute()
  expect(action).toHaveBeenCalledTimes(2)
})
