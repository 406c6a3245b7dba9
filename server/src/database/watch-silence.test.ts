/** Connections that become silent: each wait ends, and locks of the lost session are released. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testDatabase, type TestDatabase } from '../../test/harness/database.ts'
import { testLog } from '../../test/harness/log.ts'
import { type SilentProxy, startSilentProxy } from '../../test/harness/silent-proxy.ts'
import { createPostgresTransport } from '../nodes/postgres-transport.ts'
import { holdNodeLock } from '../nodes/node-lock.ts'
import { createPool } from './pool.ts'
import { holdServerLock, serverLock } from '../nodes/server-lock.ts'

let database: TestDatabase
let proxy: SilentProxy
let pool: Pool
beforeAll(async () => {
  database = await testDatabase()
  await database.pool.query('create table marks (id int primary key)')
  proxy = await startSilentProxy(database.url)
  pool = createPool({ connectionString: proxy.url }, testLog)
})
afterAll(async () => {
  await pool.end()
  await proxy[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

test.concurrent('a query on a connection that went silent fails, and the next one works', async () => {
  await using own = await startSilentProxy(database.url)
  const ownPool = createPool({ connectionString: own.url }, testLog)
  await ownPool.query('select 1')
  own.silence()
  await expect(ownPool.query('select 1')).rejects.toThrow('The database did not answer for 5 s.')
  expect((await ownPool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await ownPool.end()
})

test.concurrent('a transaction on a silent connection fails, and its locks are released', async () => {
  await using own = await startSilentProxy(database.url)
  const ownPool = createPool({ connectionString: own.url }, testLog)
  const client = await ownPool.connect()
  await client.query('begin')
  await client.query('insert into marks values (1)')
  own.silence()
  await expect(client.query('commit')).rejects.toThrow('The database did not answer')
  client.release(true)
  // If the lost session were not ended, this statement would wait for its row lock forever.
  await ownPool.query('insert into marks values (1)')
  await ownPool.end()
})

test.concurrent('silent idle connections are detected before they are used', async () => {
  await using own = await startSilentProxy(database.url)
  const ownPool = createPool({ connectionString: own.url }, testLog)
  await Promise.all([ownPool.query('select 1'), ownPool.query('select 1')])
  const made = own.count()
  own.silence()
  // One more connection is used to check them.
  await vi.waitUntil(() => ownPool.totalCount === 0, { interval: 50 })
  expect(own.count()).toBeGreaterThan(made)
  await ownPool.end()
})

test.concurrent('a long statement on a healthy connection is not interrupted', async () => {
  const { rows } = await pool.query('select pg_sleep(12), 1 as one')
  expect(rows[0].one).toBe(1)
})

test.concurrent('a wait for a lock is not interrupted', async () => {
  const holder = await database.pool.connect()
  await holder.query('select pg_advisory_lock(77)')
  const waiting = pool.query('select pg_advisory_xact_lock(77)')
  await sleep(12_000)
  await holder.query('select pg_advisory_unlock(77)')
  holder.release()
  expect((await waiting).rowCount).toBe(1)
})

test.concurrent('a database server that stops responding is abandoned, and used again once it responds', async () => {
  await using own = await startSilentProxy(database.url)
  const ownPool = createPool({ connectionString: own.url }, testLog)
  await ownPool.query('select 1')
  const { back } = own.silenceAll()
  await expect(ownPool.query('select 1')).rejects.toThrow('The database did not answer')
  await expect(ownPool.query('select 1')).rejects.toThrow(/timeout/)
  back()
  expect((await ownPool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await ownPool.end()
})

test.concurrent('after that, messages of other nodes are received again, and the node lock is held again', async () => {
  await using own = await startSilentProxy(database.url)
  const ownPool = createPool({ connectionString: own.url }, testLog)
  const received: string[] = []
  const onReconnect = vi.fn<() => void>()
  const transport = createPostgresTransport({ pool: ownPool, log: testLog })
  transport.subscribe(
    { name: 'said', isByDatabase: false },
    { onMessage: (text) => void received.push(text), onReconnect },
  )
  const connected = await transport.connect(
    async (client) => void (await holdNodeLock(client, 'silent-node')),
  )
  own.silence()
  await vi.waitUntil(() => onReconnect.mock.calls.length === 2, { interval: 50 })
  await database.pool.query(`select pg_notify('said', 'again')`)
  await vi.waitUntil(() => received.length > 0)
  expect(received).toEqual(['again'])
  await connected[Symbol.asyncDispose]()
  await ownPool.end()
})

test.concurrent('after that, one session holds the server lock again', async () => {
  await using own = await startSilentProxy(database.url)
  await using lock = await holdServerLock({ connectionString: own.url }, testLog)
  expect(lock).toBeDefined()
  const [before] = await holdersOfServerLock()
  own.silence()
  await vi.waitUntil(
    async () => {
      const holders = await holdersOfServerLock()
      return holders.length === 1 && holders[0] !== before
    },
    { interval: 100 },
  )
})

test.concurrent('a pool with silent connections can be ended', async () => {
  await using own = await startSilentProxy(database.url)
  const ownPool = createPool({ connectionString: own.url }, testLog)
  await ownPool.query('select 1')
  own.silence()
  const asked = ownPool.query('select 1').catch((error: Error) => error.message)
  await vi.waitUntil(() => ownPool.idleCount === 0)
  await ownPool.end()
  expect(await asked).toContain('The database did not answer')
})

async function holdersOfServerLock() {
  const { rows } = await database.pool.query<{ pid: number }>(
    `select pid from pg_locks where locktype = 'advisory' and objid = $1
     and database = (select oid from pg_database where datname = current_database()) and granted`,
    [serverLock],
  )
  return rows.map(({ pid }) => pid)
}
