/** A real streaming replica: which server answers, and that no answer is older than its question. [docs/cluster#read-replicas] */
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { testLog } from '../../test/harness/log.ts'
import { type Replicated, skipWithoutReplica, startReplicated } from '../../test/harness/streaming-replica.ts'
import { execute } from '../../test/harness/test-server.ts'
import { createQueries, type Queries } from './queries.ts'
import { createQueryPool, MAX_QUERIES } from './query-pool.ts'
import { openReplica, type Replica } from './read-replica.ts'
import { createReplicaMetrics } from './replica-metrics.ts'

const skip = skipWithoutReplica('queries at a read replica')
const WRITES = 100

let servers: Replicated
let primary: Pool
let replica: Replica
let queries: Queries
beforeAll(async () => {
  if (skip) return
  servers = await startReplicated()
  primary = createQueryPool({ connectionString: servers.url }, testLog)
  await execute(servers.url, 'create table numbers (number int)')
})
beforeEach(async () => {
  await replica?.[Symbol.asyncDispose]()
  if (skip) return
  replica = await openReplica(servers.replicaUrl, { primary, log: testLog })
  queries = createQueries(primary, replica)
})
afterAll(async () => {
  await replica?.[Symbol.asyncDispose]()
  await primary?.end()
  await servers?.[Symbol.asyncDispose]()
})

const write = (number: number) => execute(servers.url, `insert into numbers values (${number})`)

/** @returns who answers, and the greatest number there */
async function ask(needs?: 'database') {
  using query = queries.open('tenant', needs)
  const { rows } = await sql<{ isReplica: boolean; number: number }>`
    select pg_is_in_recovery() as "isReplica", (select max(number) from numbers) as number`.execute(query.db)
  return rows[0]!
}

const untilReplicaAnswers = () => vi.waitUntil(async () => (await ask()).isReplica, { interval: 200 })

test.skipIf(skip)(`each of ${WRITES} writes is seen by the query after it, at the replica`, async () => {
  await untilReplicaAnswers()
  let answeredByReplica = 0
  for (let number = 1; number <= WRITES; number++) {
    await write(number)
    const answer = await ask()
    expect(answer.number).toBe(number)
    if (answer.isReplica) answeredByReplica++
  }
  expect(answeredByReplica).toBeGreaterThan(0)
})

test.skipIf(skip)('what only the database knows is asked there', async () => {
  await untilReplicaAnswers()
  expect((await ask('database')).isReplica).toBe(false)
})

test.skipIf(skip)(
  'a replica that is behind is left out, and its lag is told, until it has caught up',
  async () => {
    await untilReplicaAnswers()
    await servers.asSuperuser('select pg_wal_replay_pause()', 'replica')
    await write(1000)
    expect(await ask()).toEqual({ isReplica: false, number: 1000 })
    const state = await replica.readState()
    expect(state.problem).toMatch(/^It is \d+ bytes of the log behind\.$/)
    expect(state.lagBytes).toBeGreaterThan(0)
    expect(state.lagSeconds).toBeGreaterThan(0)
    await servers.asSuperuser('select pg_wal_replay_resume()', 'replica')
    await untilReplicaAnswers()
    await expect
      .poll(() => replica.readState())
      .toEqual({ isUsable: true, problem: undefined, lagBytes: 0, lagSeconds: 0 })
  },
)

test.skipIf(skip)('a replica that can be used again is said to be, though nobody asks anything', async () => {
  servers.stopReplica()
  expect((await ask()).isReplica).toBe(false)
  servers.startReplica()
  const findProblem = async () => (await replica.readState()).problem
  await expect.poll(findProblem, { interval: 200 }).toBe(undefined)
})

test.skipIf(skip)(
  'a replica whose connections for queries are all in use is not said to be away',
  async () => {
    await untilReplicaAnswers()
    const clients = await Promise.all(Array.from({ length: MAX_QUERIES }, () => replica.connect(true)))
    expect(clients).not.toContain(undefined)
    expect(await replica.readState()).toMatchObject({ isUsable: true, problem: undefined })
    for (const client of clients) client?.release()
  },
)

test.skipIf(skip)(
  'nothing waits for the metrics while the database does not answer, and that is not the fault of the replica',
  async () => {
    await untilReplicaAnswers()
    // A query waits for a connection of this pool without a time limit.
    const busy = createQueryPool({ connectionString: servers.url, connectionTimeoutMillis: 0 }, testLog)
    await using another = await openReplica(servers.replicaUrl, { primary: busy, log: testLog })
    const registry = new Registry()
    createReplicaMetrics(registry, another)
    expect(await registry.metrics()).toContain('gangway_replica_up 1\n')
    const clients = await Promise.all(Array.from({ length: busy.options.max }, () => busy.connect()))
    const { problem } = await another.readState()
    const metrics = await registry.metrics()
    for (const client of clients) client.release()
    await busy.end()
    expect(problem).toBe('The database does not answer.')
    for (const name of ['up', 'lag_bytes', 'lag_seconds'])
      expect(metrics).toMatch(new RegExp(`^gangway_replica_${name} NaN$`, 'im'))
  },
)

test.skipIf(skip)('the statements of one query never see an older state than those before', async () => {
  await untilReplicaAnswers()
  await servers.asSuperuser('select pg_wal_replay_pause()', 'replica')
  await write(2000)
  using query = queries.open('tenant')
  const read = async () =>
    (await sql<{ number: number }>`select max(number) as number from numbers`.execute(query.db)).rows[0]!
      .number
  const first = await read()
  const second = await read()
  await servers.asSuperuser('select pg_wal_replay_resume()', 'replica')
  expect([first, second]).toEqual([2000, 2000])
})

test.skipIf(skip)(
  'while the replica is away the database answers, and a start does not wait for it',
  async () => {
    await untilReplicaAnswers()
    servers.stopReplica()
    expect((await ask()).isReplica).toBe(false)
    expect(await replica.readState()).toMatchObject({ problem: expect.stringContaining('does not answer') })
    await using another = await openReplica(servers.replicaUrl, { primary, log: testLog })
    expect(await another.connect(false)).toBeUndefined()
    servers.startReplica()
    await untilReplicaAnswers()
  },
)

test.skipIf(skip)(
  'a query that the replica ends is refused with the reason, and the next one succeeds',
  async () => {
    await untilReplicaAnswers()
    using query = queries.open('tenant')
    const told = sql`select pg_sleep(600)`.execute(query.db).then(String, (error: unknown) => error)
    const ended = `select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(600)%' and pid <> pg_backend_pid()`
    await expect.poll(async () => (await servers.asSuperuser(ended, 'replica')).rowCount).toBe(1)
    expect(await told).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('The read replica could not answer'),
    })
    expect((await ask()).isReplica).toBe(false)
  },
)

test.skipIf(skip)(
  'a URL of another database, or of one that takes writes, is refused at the start',
  async () => {
    const open = (url: string) => openReplica(url, { primary, log: testLog })
    await expect(open(servers.url)).rejects.toThrow(
      'GANGWAY_DATABASE_READ_URL: It is not a replica: it accepts writes itself.',
    )
    const other = new URL(servers.replicaUrl)
    other.pathname = '/postgres'
    await expect(open(other.href)).rejects.toThrow('GANGWAY_DATABASE_READ_URL: It is another database')
  },
)

test.skipIf(skip)('a replica that was promoted is not asked any more', async () => {
  await untilReplicaAnswers()
  servers.promoteReplica()
  await write(3000)
  expect(await ask()).toEqual({ isReplica: false, number: 3000 })
  expect((await replica.readState()).problem).toContain('accepts writes itself')
})
