import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../test/harness/database.ts'
import { readSubjectPrefix } from './installation.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

test('an installation has subjects of its own, which another database on the same PostgreSQL does not have', async () => {
  await using another = await testDatabase()
  const own = await readSubjectPrefix(database.pool)
  expect(own).toMatch(/^gangway\.[0-9a-f]{16}$/)
  expect(await readSubjectPrefix(database.pool)).toBe(own)
  expect(await readSubjectPrefix(another.pool)).not.toBe(own)
})

test('an ordinary user of PostgreSQL may read the identity of the database', async () => {
  // This role has no rights but its own and those of everybody.
  const { rows } = await database.pool.query(
    `select has_function_privilege('pg_signal_backend', 'pg_control_system()', 'execute') as may`,
  )
  expect(rows).toEqual([{ may: true }])
})
