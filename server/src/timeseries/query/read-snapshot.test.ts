import type { Socket } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../test/harness/database.ts'
import { createQueries, type Queries } from '../../database/queries.ts'
import { readSnapshot } from './read-snapshot.ts'

let database: TestDatabase
let queries: Queries
beforeAll(async () => {
  database = await testDatabase()
  queries = createQueries(database.queryPool)
  await database.pool.query('create table counted (number int)')
})
afterAll(() => database[Symbol.asyncDispose]())

const count = sql<{ count: number }>`select count(*)::int as count from counted`

test('statements that are sent together see one snapshot, and leave their connection without a transaction', async () => {
  using query = queries.open('a')
  const counts = await readSnapshot(query.db, async (tx) => {
    const [first, second] = await Promise.all([count.execute(tx), count.execute(tx)])
    await database.pool.query('insert into counted values (1)')
    return [first, second, await count.execute(tx)].map(({ rows }) => rows[0]!.count)
  })
  expect(counts).toEqual([0, 0, 0])
  const state = sql<{ state: string }>`
    select count(*)::int as count, (select state from pg_stat_activity where pid = pg_backend_pid()) as state,
      pg_current_xact_id_if_assigned() as xact, now() = statement_timestamp() as "isAlone" from counted`
  expect((await state.execute(query.db)).rows).toMatchObject([{ count: 1, isAlone: true }])
})

test('statements that are sent together are one write, which wakes up PostgreSQL once', async () => {
  const writes: string[] = []
  database.queryPool.once('acquire', (client) => {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    const writeAll = stream._writev!.bind(stream)
    stream._writev = (chunks, done) => {
      writes.push(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)).toString('latin1'))
      writeAll(chunks, done)
    }
  })
  using query = queries.open('a')
  await readSnapshot(query.db, (tx) => Promise.all([count.execute(tx), count.execute(tx)]))
  expect(writes[0]).toMatch(/start transaction.*lock table.*counted.*counted/s)
})

test('a failure ends the snapshot once all of its statements have ended', async () => {
  using query = queries.open('a')
  let ended = false
  const reading = readSnapshot(query.db, async (tx) => {
    const failing = sql`select 1 / 0`.execute(tx)
    const behind = count.execute(tx).finally(() => void (ended = true))
    return Promise.all([failing, behind])
  })
  await expect(reading).rejects.toMatchObject({ code: '22012' })
  expect(ended).toBe(true)
  expect((await count.execute(query.db)).rows).toEqual([{ count: 1 }])
})

test('what reads without the locks of the snapshot fails as they do', async () => {
  using query = queries.open('a')
  const holder = await database.pool.connect()
  await holder.query('begin; lock table samples in access exclusive mode')
  const reading = readSnapshot(query.db, (tx) => count.execute(tx))
  await expect(reading).rejects.toMatchObject({ code: 'unavailable' })
  await holder.query('rollback')
  holder.release()
  expect((await readSnapshot(query.db, (tx) => count.execute(tx))).rows).toEqual([{ count: 1 }])
})
