import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from 'kysely'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { addJob } from '../../jobs/add-job.ts'
import type { Health } from './schema.ts'

let platform: Platform
let other: { token: string }
beforeAll(async () => {
  platform = await startPlatform()
  other = await platform.makeTenant('other')
})
afterAll(() => platform[Symbol.asyncDispose]())

const health = async (): Promise<Health> => (await platform.get('/v1/system/health')).body

async function insertDeadLetter(token?: string) {
  const id = `device-${randomUUID()}`
  await platform.post(
    '/v1/providers/mqtt/clients',
    { id, displayName: id },
    token === undefined ? {} : { token },
  )
  await platform.ctx.pool.query(
    `insert into dead_letters (id, client_number, topic, payload, reason, message)
     select $1, number, 't', 'x', 'invalid_json', 'm' from provider_clients where id = $2`,
    [newestId(), id],
  )
}

/** An id of now, as ids of dead letters are. */
function newestId() {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

test('the health of the installation is for owners of the environment alone', async () => {
  for (const path of ['/v1/system/health', '/v1/system/jobs']) {
    expect((await platform.get(path, { token: other.token })).body).toMatchObject({ error: 'forbidden' })
    expect((await platform.get(path, { token: null })).status).toBe(401)
  }
})

test('this node, the database and the queue are there, and a dead node is not', async () => {
  const dead = randomUUID()
  await platform.ctx.pool.query('insert into job_workers (worker_id, node_id) values ($1, $2)', [
    'gone',
    dead,
  ])
  const { nodes, database, queue, ingest, packing } = await health()
  expect(nodes).toEqual([
    { id: platform.ctx.nodes.id, isAnswering: true, connectedClients: 0, messagesPerSecond: 0 },
  ])
  expect(database.bytes).toBeGreaterThan(1_000_000)
  expect(database.connections).toBeGreaterThan(0)
  expect(database.maxConnections).toBeGreaterThan(database.connections)
  expect(queue).toEqual({ kind: 'log', waiting: 0, oldestAt: null })
  expect(ingest).toEqual({ backlog: 0, longestWaitSeconds: 0 })
  expect(packing).toEqual({ daysBehind: 0, oldestDay: null })
})

test('jobs are counted by state, with the times of the oldest, and each count has its list', async () => {
  const [due, later] = ['2026-01-02T03:04:05.000Z', '2999-01-01T00:00:00.000Z']
  await addJob(platform.ctx.db, 'count-me', { secret: 'of-a-tenant' }, { runAt: new Date(due) })
  await addJob(platform.ctx.db, 'count-me', {}, { runAt: new Date(later) })
  await addJob(platform.ctx.db, 'count-me', { fails: true })
  await sql`update graphile_worker._private_jobs set attempts = max_attempts, last_error = ${'e'.repeat(2000)}, updated_at = ${due}
    where payload ->> 'fails' = 'true'`.execute(platform.ctx.db)
  const { jobs } = await health()
  expect(jobs.find(({ task }) => task === 'count-me')).toEqual({
    task: 'count-me',
    waiting: 2,
    running: 0,
    failed: 1,
    oldestDueAt: due,
    oldestFailedAt: due,
  })
  const failed = await platform.get('/v1/system/jobs?state=failed')
  expect(failed.body).toEqual([
    {
      id: expect.stringMatching(/^\d+$/),
      task: 'count-me',
      state: 'failed',
      attempts: 25,
      maxAttempts: 25,
      lastError: 'e'.repeat(1000),
      createdAt: expect.any(String),
      runAt: expect.any(String),
    },
  ])
  const waiting = await platform.get('/v1/system/jobs?state=waiting&task=count-me&limit=1')
  expect(waiting.body.map(({ runAt }: { runAt: string }) => runAt)).toEqual([due])
  const next = /<(.+)>; rel="next"/.exec(String(waiting.headers.get('link')))![1]!
  expect((await platform.get(next)).body.map(({ runAt }: { runAt: string }) => runAt)).toEqual([later])
  expect(JSON.stringify([waiting.body, jobs])).not.toContain('of-a-tenant')
})

test.each(['state=lost', 'cursor=abc', `task=${'t'.repeat(129)}`])(
  'jobs with %s are refused',
  async (query) => {
    expect(await platform.get(`/v1/system/jobs?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'validation_error' },
    })
  },
)

test('a receiver that does not answer is listed with the reason', async () => {
  const retryAt = '2999-01-01T00:00:00.000Z'
  await platform.ctx.pool.query(
    "insert into receiver_circuits (receiver, failures, reason, retry_at) values ('receiver/webhook/w-1', 3, 'r', $1)",
    [retryAt],
  )
  const { receivers, deliveries } = await health()
  expect(receivers).toEqual([
    { kind: 'webhook', id: 'w-1', failures: 3, reason: 'r', failingSince: expect.any(String), retryAt },
  ])
  expect(deliveries.find(({ kind }) => kind === 'webhook')).toMatchObject({ pausedReceivers: 1 })
})

test('unreadable messages are counted by tenant', async () => {
  await insertDeadLetter()
  for (const token of [other.token, other.token]) await insertDeadLetter(token)
  const { deadLetters } = await health()
  expect(deadLetters).toMatchObject({
    messages: 3,
    tenants: [
      { tenantId: 'other', messages: 2 },
      { tenantId: 'default', messages: 1 },
    ],
  })
})
