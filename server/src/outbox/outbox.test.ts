import { createServer } from 'node:net'
import { join } from 'node:path'
import { jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../test/harness/database.ts'
import { startTestJobs } from '../../test/harness/due-jobs.ts'
import { testLog } from '../../test/harness/log.ts'
import { type NatsServer, skipWithoutNats, startNats } from '../../test/harness/nats-server.ts'
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts'
import { readConfig } from '../config.ts'
import { addJob } from '../jobs/add-job.ts'
import type { NatsConfig, Patience } from '../lib/nats.ts'
import { parseNatsUrl } from '../lib/nats-url.ts'
import { StoppedError } from '../lib/unless-stopped.ts'
import { loadServerCertificate } from '../tls/server-certificate.ts'
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

test('delivers all messages in order and empties the table', async () => {
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
  await expect.poll(left).toBe(0)
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

const skip = skipWithoutNats('NATS JetStream')

const openAt = (config: NatsConfig, patience: Patience = {}, { pool } = database) =>
  openQueue({ config, log: testLog, pool }, patience)

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('an unavailable NATS server is waited for; the error names its variable and address, but no password', async () => {
  const url = `nats://user:hidden@127.0.0.1:${await freePort()}`
  const refusal = (await openAt({ natsUrl: parseNatsUrl(url) }, { forMs: 50 }).catch(
    (error: unknown) => error,
  )) as Error
  expect(refusal.name).toBe('NatsUnusableError')
  expect(refusal.message).toContain(new URL(url).host)
  expect(refusal.message).toContain('Check GANGWAY_NATS_URL.')
  expect(refusal.message).not.toContain('hidden')

  const stopping = new AbortController()
  const waiting = openAt({ natsUrl: parseNatsUrl(url) }, { abort: stopping.signal })
  stopping.abort(new StoppedError('stopped by SIGTERM'))
  await expect(waiting).rejects.toThrow('stopped by SIGTERM')
})

test.skipIf(skip)('a NATS server that starts after this one is waited for', async () => {
  const port = await freePort()
  const opening = openAt({ natsUrl: parseNatsUrl(`nats://127.0.0.1:${port}`) })
  await using _server = await startNats({ port })
  await using queue = await opening
  await expect(queue.publish([{ id: '1', subject: 'Tested', payload: {} }])).resolves.toBeUndefined()
})

test.skipIf(skip)(
  'a NATS server takes the credentials of the URL, and is not waited for if it refuses',
  async () => {
    const config = 'authorization { user: gangway, password: "r@ght" }'
    await using server = await startNats({ config })
    const open = (credentials: string) =>
      openAt({ natsUrl: parseNatsUrl(server.url.replace('//', `//${credentials}`)) })
    for (const wrong of ['', 'gangway:wrong@', 'gangway@'])
      await expect(open(wrong)).rejects.toThrow(/refuses: .*Check GANGWAY_NATS_URL/)
    await using _queue = await open('gangway:r%40ght@')
  },
)

test.skipIf(skip)('TLS to NATS trusts the CA of its file only, and is not left out', async () => {
  await using directory = await temporaryDirectory()
  await loadServerCertificate({ ...readConfig({ GANGWAY_DATA_DIR: directory.path }) })
  const file = (name: string) => join(directory.path, 'tls', name)
  const config = `tls { cert_file: "${file('server.crt')}", key_file: "${file('server.key')}" }`
  await using server = await startNats({ config })
  const natsUrl = parseNatsUrl(server.url.replace('nats:', 'tls:'))
  await using _queue = await openAt({ natsUrl, natsCaFile: file('ca.crt') })
  await expect(openAt({ natsUrl }, { forMs: 0 })).rejects.toThrow('certificate')
  await expect(openAt({ natsUrl, natsCaFile: file('none.crt') })).rejects.toThrow(
    /^GANGWAY_NATS_CA_FILE: .*none\.crt cannot be read/,
  )
  await using plain = await startNats()
  const refused = openAt(
    { natsUrl: parseNatsUrl(plain.url.replace('nats:', 'tls:')) },
    {
      forMs: 0,
    },
  )
  await expect(refused).rejects.toThrow("does not support 'tls'")
})

test.skipIf(skip)(
  'is published to NATS JetStream with its trace, and a duplicate of the same installation is dropped there',
  async () => {
    await using server = await startNats()
    await using queue = await openAt({ natsUrl: parseNatsUrl(server.url) })
    const message = { id: '1', subject: 'ProviderClientPropertiesChanged', payload: { version: 1 } }
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    await queue.publish([message, message, { ...message, id: '2', payload: { version: 2, traceparent } }])
    await using elsewhere = await testDatabase()
    await using another = await openAt({ natsUrl: parseNatsUrl(server.url) }, {}, elsewhere)
    await another.publish([{ ...message, payload: { version: 3 } }])
    const connection = await connect({ servers: server.url })
    const consumer = await jetstream(connection).consumers.get('GANGWAY')
    const messages = await consumer.fetch({ max_messages: 10, expires: 1000 })
    const received = []
    for await (const next of messages)
      received.push([next.json<{ version: number }>().version, next.headers?.get('traceparent')])
    expect(received).toEqual([
      [1, ''],
      [2, traceparent],
      [3, ''],
    ])
    await connection.close()
  },
)

describe('the stream of events', () => {
  const message = { id: '1', subject: 'Tested', payload: {} }
  let server: NatsServer
  let connection: NatsConnection
  let streams: JetStreamManager['streams']
  beforeEach(async () => {
    if (skip) return
    server = await startNats()
    connection = await connect({ servers: server.url })
    ;({ streams } = await jetstreamManager(connection))
  })
  afterEach(async () => {
    await connection?.close()
    await server?.[Symbol.asyncDispose]()
  })
  const open = () => openAt({ natsUrl: parseNatsUrl(server.url) })

  test.skipIf(skip)(
    'keeps the limits that an operator gave it [docs/operating#deliveries-to-others]',
    async () => {
      await (await open())[Symbol.asyncDispose]()
      await streams.update('GANGWAY', { max_msgs: 1 })
      await using queue = await open()
      await queue.publish([message, { ...message, id: '2' }])
      const { config, state } = await streams.info('GANGWAY')
      expect([config.max_msgs, state.messages]).toEqual([1, 1])
    },
  )

  test.skipIf(skip)('is made again where it was deleted', async () => {
    await using queue = await open()
    await streams.delete('GANGWAY')
    await expect(queue.publish([message])).rejects.toThrow()
    await queue.publish([message])
    expect((await streams.info('GANGWAY')).state.messages).toBe(1)
  })

  test.skipIf(skip)('is not that of another program', async () => {
    await streams.add({ name: 'GANGWAY', subjects: ['others.>'] })
    await expect(open()).rejects.toThrow(
      'cannot be used: its stream GANGWAY has the subjects others.>, where events need gangway.events.>',
    )
  })
})
