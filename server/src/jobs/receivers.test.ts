import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../test/harness/database.ts'
import { startTestJobs } from '../../test/harness/due-jobs.ts'
import { addJob } from './add-job.ts'
import { createMetrics } from '../lib/metrics.ts'
import { findCircuits, recordFailure } from './circuits.ts'
import { measureReceivers } from './measure-receivers.ts'
import { type Receiver, ReceiverError, receiverName, sendingTask } from './receiver.ts'

let database: TestDatabase
let release = () => {}
let released: Promise<void>
/** The received deliveries, in order. */
let arrived: string[]
/** Number of deliveries of each receiver that hang now. */
let hanging: Map<string, number>

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  released = new Promise((resolve) => (release = resolve))
  arrived = []
  hanging = new Map()
  await database.pool.query('delete from graphile_worker._private_jobs')
  await database.pool.query('delete from receiver_circuits')
})
afterEach(() => release())

const tasks = {
  send: sendingTask(async (payload) => {
    const { to, hangs } = payload as { to: string; hangs?: boolean }
    if (hangs) {
      hanging.set(to, (hanging.get(to) ?? 0) + 1)
      await released
      throw new ReceiverError('did not answer in time', false)
    }
    arrived.push(to)
    return 'answered'
  }),
  work: async () => void arrived.push('work'),
}

const webhook = (id: string, tenantId = 'a'): Receiver => ({ kind: 'webhook', id, tenantId })
const send = (receiver: Receiver, hangs = false) =>
  addJob(database.db, 'send', { to: receiver.id, hangs }, { receiver })
const sendMany = async (receivers: Receiver[], each: number) => {
  for (let job = 0; job < each; job++) for (const receiver of receivers) await send(receiver, true)
}
const numbered = (count: number, tenantId?: string) =>
  Array.from({ length: count }, (_, index) => webhook(`${tenantId}-${index}`, tenantId))
const sum = () => [...hanging.values()].reduce((total, count) => total + count, 0)

async function running(check: () => Promise<void>) {
  const jobs = await startTestJobs(database, tasks)
  try {
    await check()
  } finally {
    release()
    await jobs[Symbol.asyncDispose]()
  }
}

test('hundreds of deliveries to receivers that hang hold up neither a healthy one nor other work', async () => {
  await sendMany(numbered(5, 'a'), 60)
  await send(webhook('healthy'))
  await addJob(database.db, 'work', {})
  await running(async () => {
    await expect.poll(() => arrived.toSorted()).toEqual(['healthy', 'work'])
    // One slot for each receiver that has not answered yet.
    expect(Math.max(...hanging.values())).toBe(1)
  })
})

test('a tenant whose receivers all hang leaves slots to another tenant', async () => {
  await sendMany(numbered(50, 'a'), 2)
  await send(webhook('healthy', 'b'))
  await running(async () => {
    await expect.poll(() => arrived).toEqual(['healthy'])
    expect(sum()).toBeLessThanOrEqual(12)
  })
})

test('a kind whose slots are all in use leaves the slots of other kinds', async () => {
  for (const tenantId of ['a', 'b', 'c', 'd']) await sendMany(numbered(12, tenantId), 1)
  await send({ kind: 'events', id: 'queue' })
  await send({ kind: 'email', id: 'server', tenantId: 'a' })
  await running(async () => {
    await expect.poll(() => arrived.toSorted()).toEqual(['queue', 'server'])
    await expect.poll(sum).toBe(32)
    // By now, idle workers have looked for jobs, and started no more.
    await send({ kind: 'sms', id: 'gateway', tenantId: 'a' })
    await expect.poll(() => arrived).toContain('gateway')
    expect(sum()).toBe(32)
  })
})

test('a receiver that answers takes several deliveries at once, up to its bound', async () => {
  const { db } = database
  const healthy = webhook('healthy')
  for (let job = 0; job < 10; job++) await send(healthy)
  await running(async () => {
    await expect.poll(() => arrived.length).toBe(10)
    for (let job = 0; job < 10; job++)
      await addJob(db, 'send', { to: 'healthy', hangs: true }, { receiver: healthy })
    await expect.poll(sum).toBe(4)
  })
})

const circuit = async (receiver: Receiver) =>
  (await findCircuits(database.db, [receiver])).get(receiverName(receiver))
const dueNow = async () =>
  (await database.pool.query('select from graphile_worker.jobs where run_at <= now()')).rowCount

test('a receiver that fails three times in a row is paused, and its deliveries take no slot', async () => {
  const silent = webhook('silent')
  release()
  await sendMany([silent], 10)
  await running(async () => {
    await expect
      .poll(() => circuit(silent))
      .toMatchObject({ failures: 3, reason: 'did not answer in time', retryAt: expect.any(Date) })
    await expect.poll(dueNow).toBe(0)
    expect(hanging.get('silent')).toBe(3)
    // Later deliveries wait with the others.
    await send(silent, true)
    await send(webhook('healthy'))
    await expect.poll(() => arrived).toEqual(['healthy'])
    await expect.poll(dueNow).toBe(0)
    expect(hanging.get('silent')).toBe(3)
  })
})

test('metrics show the number of waiting deliveries and paused receivers', async () => {
  const metrics = createMetrics()
  for (let failure = 0; failure < 3; failure++)
    await recordFailure(database.db, receiverName(webhook('silent')), 'did not answer in time')
  await send(webhook('silent'))
  await measureReceivers({ db: database.db, metrics })
  const text = await metrics.registry.metrics()
  expect(text).toContain('gangway_receivers_paused{kind="webhook"} 1')
  expect(text).toContain('gangway_deliveries_waiting{kind="webhook"} 1')
  expect(text).toContain('gangway_receivers_paused{kind="email"} 0')
})

/** Ends the pause of each receiver, and the back-off of each job. */
const endPauses = async () => {
  await database.pool.query('update receiver_circuits set retry_at = now()')
  await database.pool.query('update graphile_worker._private_jobs set run_at = now()')
}

test('after a pause one delivery is tried; while it fails, pauses become longer, also over a restart', async () => {
  const silent = webhook('silent')
  release()
  await sendMany([silent], 6)
  const lastsSeconds = async () => {
    const { rows } = await database.pool.query<{ seconds: number }>(
      'select extract(epoch from retry_at - last_failed_at)::float as seconds from receiver_circuits',
    )
    return rows[0]!.seconds
  }
  await running(async () => {
    await expect.poll(async () => (await circuit(silent))?.retryAt).toBeInstanceOf(Date)
  })
  expect(await lastsSeconds()).toBeLessThanOrEqual(15)
  await endPauses()
  await running(async () => {
    await expect.poll(async () => (await circuit(silent))?.failures).toBe(4)
    await expect.poll(dueNow).toBe(0)
  })
  expect(await lastsSeconds()).toBeGreaterThan(20)
  expect(hanging.get('silent')).toBe(4)
})

test('when the receiver answers again, all waiting deliveries are sent', async () => {
  const silent = webhook('silent')
  release()
  await sendMany([silent], 3)
  await running(async () => {
    await expect.poll(async () => (await circuit(silent))?.retryAt).toBeInstanceOf(Date)
  })
  await database.pool.query('delete from graphile_worker._private_jobs')
  for (let job = 0; job < 5; job++) await send(silent)
  expect(await dueNow()).toBe(0)
  // One of the waiting deliveries may be tried.
  await database.pool.query(
    'update graphile_worker._private_jobs set run_at = now() where id = (select min(id) from graphile_worker._private_jobs)',
  )
  await running(async () => {
    await expect.poll(() => arrived.length).toBe(5)
    expect(await circuit(silent)).toBeUndefined()
  })
})
