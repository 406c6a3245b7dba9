import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../test/harness/database.ts'
import { startTestJobs } from '../../test/harness/due-jobs.ts'
import { testLog } from '../../test/harness/log.ts'
import { addJob } from '../jobs/add-job.ts'
import { outboxTasks } from './deliver.ts'
import { openQueue, type OutboxMessage, type Queue } from './queue.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(() => database.db.deleteFrom('outbox').execute())

const insert = async (count: number) => {
  const rows = Array.from({ length: count }, (_, index) => ({
    subject: 'Tested',
    payload: JSON.stringify({ index }),
  }))
  await database.db.insertInto('outbox').values(rows).execute()
}
const left = async () => (await database.db.selectFrom('outbox').selectAll().execute()).length

function recordingQueue(publish?: () => void): Queue & { seen: OutboxMessage[] } {
  const seen: OutboxMessage[] = []
  return {
    seen,
    publish: async (messages) => {
      publish?.()
      seen.push(...messages)
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

test('delivers all, in order, and then the table is empty', async () => {
  await insert(1234)
  const queue = recordingQueue()
  await outboxTasks(database, queue)['deliver-outbox']!({})
  expect(queue.seen.map((message) => (message.payload as { index: number }).index)).toEqual([
    ...Array(1234).keys(),
  ])
  expect(await left()).toBe(0)
})

test('a queue that fails loses nothing: the job tries again until it succeeds', async () => {
  await insert(3)
  let failures = 1
  const queue = recordingQueue(() => {
    if (failures-- > 0) throw new Error('the queue is down')
  })
  await using _jobs = await startTestJobs(database, outboxTasks(database, queue))
  await addJob(database.db, 'deliver-outbox', {}, { key: 'deliver-outbox' })
  await expect.poll(left, { timeout: 15_000 }).toBe(0)
  expect(queue.seen).toHaveLength(3)
})

test('a job commits with the data that caused it, or not at all', async () => {
  const queued = async () =>
    Number((await database.pool.query('select count(*) from graphile_worker.jobs')).rows[0].count)
  const before = await queued()
  await database.db
    .transaction()
    .execute(async (tx) => {
      await addJob(tx, 'deliver-outbox', {})
      throw new Error('rolled back')
    })
    .catch(() => {})
  expect(await queued()).toBe(before)
})

const nats = spawnSync('nats-server', ['--version']).status === 0
if (!nats) console.log('Skipped: delivery to NATS JetStream (nats-server is not installed)')

test.skipIf(!nats)('goes to NATS JetStream, where a repeat falls out', async () => {
  const store = await mkdtemp(join(tmpdir(), 'gangway-nats-'))
  const server = spawn('nats-server', ['-a', '127.0.0.1', '-p', '-1', '-js', '-sd', store], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    const url = await new Promise<string>((resolve) =>
      server.stderr.on('data', (chunk) => {
        const port = /Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(`${chunk}`)?.[1]
        if (port) resolve(`nats://127.0.0.1:${port}`)
      }),
    )
    await using queue = await openQueue(url, testLog)
    const message = { id: '1', subject: 'ProviderClientPropertiesChanged', payload: { version: 1 } }
    await queue.publish([message, message, { ...message, id: '2', payload: { version: 2 } }])
    const connection = await connect({ servers: url })
    const consumer = await jetstream(connection).consumers.get('GANGWAY')
    const messages = await consumer.fetch({ max_messages: 10, expires: 1000 })
    const versions = []
    for await (const received of messages) versions.push((received.json() as { version: number }).version)
    expect(versions).toEqual([1, 2])
    await connection.close()
  } finally {
    server.kill()
    await rm(store, { recursive: true, force: true })
  }
})
