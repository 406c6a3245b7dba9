/**
 * A separate database for a test file, cloned from the migrated template:
 *
 *     const database = await testDatabase()
 *     afterAll(() => database[Symbol.asyncDispose]())
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Pool } from 'pg'
import { inject } from 'vitest'
import { createKysely, createPool } from '../../src/database/pool.ts'
import { createQueryPool } from '../../src/database/query-pool.ts'
import type { Tables } from '../../src/database/tables.ts'
import { databaseUrl, execute } from './test-server.ts'
import { testLog } from './log.ts'

export interface TestDatabase extends AsyncDisposable {
  url: string
  pool: Pool
  db: Kysely<Tables>
  queryPool: Pool
}

/** A long limit: closing a connection takes the server a moment, and only a leak reaches the limit. */
const CLOSING_MS = 20_000

/**
 * A migrated database that contains only what migrations insert.
 * @param closingMs how long it waits for its connections to be closed, shorter where a test leaves one open
 */
export const testDatabase = (closingMs?: number) => createFrom(inject('testServer').template, closingMs)

/** A database after a first start, with the tenant `default` and its administrator. */
export const platformDatabase = () => createFrom(inject('testServer').platformTemplate)

/** A database without tables, for tests of migrations and of starting. */
export const emptyDatabase = () => createFrom('template0')

async function createFrom(template: string, closingMs = CLOSING_MS): Promise<TestDatabase> {
  const server = inject('testServer')
  const name = `${server.prefix}_${randomBytes(5).toString('hex')}`
  // Copying files takes half as long as logging each page.
  await execute(server.url, `create database ${name} template ${template} strategy file_copy`)
  const url = databaseUrl(server.url, name)
  const pool = createPool({ connectionString: url }, testLog, { max: 10 })
  const queryPool = createQueryPool({ connectionString: url }, testLog)
  return {
    url,
    pool,
    db: createKysely(pool),
    queryPool,
    [Symbol.asyncDispose]: async () => {
      const busy = (await close(pool, closingMs)) + (await close(queryPool, closingMs))
      const left = await connectionsLeft(server.url, name, busy ? 0 : closingMs)
      const isLeft = busy > 0 || left.length > 0
      // Forced, it would fail during an autovacuum of the server, which otherwise ends for it.
      await execute(server.url, `drop database if exists ${name} ${isLeft ? 'with (force)' : ''}`)
      if (isLeft) throw new Error(leakMessage(busy, left))
    },
  }
}

/** Number of clients that were never released; the pool would wait for them forever. */
async function close(pool: Pool, closingMs: number) {
  if (pool.ended) return 0
  const closed = pool.end().then(() => true)
  if (await Promise.race([closed, sleep(closingMs, false, { ref: false })])) return 0
  return pool.totalCount
}

async function connectionsLeft(url: string, database: string, patienceMs: number): Promise<string[]> {
  for (const until = Date.now() + patienceMs; ; await sleep(20)) {
    const { rows } = await execute(
      url,
      `select format('%s: %s', application_name, left(query, 200)) as connection from pg_stat_activity
       where datname = '${database}' and backend_type = 'client backend'`,
    )
    if (rows.length === 0 || Date.now() >= until) return rows.map(({ connection }) => connection)
  }
}

const leakMessage = (busy: number, left: string[]) =>
  [
    'This test file left connections to its database behind; end what it started before disposing of the database.',
    ...(busy ? [`${busy} client(s) of its pool were checked out and never released.`] : []),
    ...left.map((connection) => `Still open: ${connection}`),
  ].join('\n')
