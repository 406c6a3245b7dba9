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

test('the subjects are found with the rights of an ordinary user', async () => {
  const own = await readSubjectPrefix(database.pool)
  const client = await database.pool.connect()
  try {
    await client.query('begin; create role gangway_ordinary nosuperuser; set local role gangway_ordinary')
    expect(await readSubjectPrefix(client)).toBe(own)
  } finally {
    await client.query('rollback')
    client.release()
  }
})
