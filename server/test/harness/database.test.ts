import { Client } from 'pg'
import { expect, test } from 'vitest'
import { testDatabase } from './database.ts'

test('each test database has its own data', async () => {
  await using one = await testDatabase()
  await using other = await testDatabase()
  await one.pool.query('create table mine (id int)')
  await expect(other.pool.query('select from mine')).rejects.toThrow('does not exist')
})

/** Waiting longer would not close them. */
const CLOSING_MS = 100

test('a connection that a test leaves open is reported', async () => {
  const database = await testDatabase(CLOSING_MS)
  const forgotten = new Client({ connectionString: database.url, application_name: 'forgotten' })
  forgotten.on('error', () => {})
  await forgotten.connect()
  await forgotten.query('select 42')
  await expect(database[Symbol.asyncDispose]()).rejects.toThrow('Still open: forgotten: select 42')
})

test('a client that was never released is reported', async () => {
  const database = await testDatabase(CLOSING_MS)
  await database.pool.connect()
  await expect(database[Symbol.asyncDispose]()).rejects.toThrow('1 client(s) of its pool were checked out')
})
