import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../test/harness/database.ts'
import { startTestJobs } from '../../test/harness/due-jobs.ts'
import { holdNodeLock } from './node-lock.ts'
import { addJob } from '../jobs/add-job.ts'
import { insertWorkers, releaseDeadWorkers } from './job-workers.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const workers = async () => (await database.pool.query('select worker_id from job_workers')).rows

/** The state after a process was killed while it ran the job. */
async function leaveJobWith(workerId: string) {
  await addJob(database.db, 'work', {})
  await database.pool.query('update graphile_worker._private_jobs set locked_at = now(), locked_by = $1', [
    workerId,
  ])
}
const start = (work: () => Promise<void>) => startTestJobs(database, { work })

test('jobs of a killed process are run by the next one', async () => {
  await insertWorkers(database.pool, randomUUID(), ['killed'])
  await leaveJobWith('killed')
  let done = () => {}
  const isDone = new Promise<void>((resolve) => (done = resolve))
  const jobs = await start(async () => done())
  await isDone
  await jobs[Symbol.asyncDispose]()
  expect(await workers()).toEqual([])
})

test('a process holds jobs under its own name', async () => {
  const names: unknown[] = []
  let done = () => {}
  const isDone = new Promise<void>((resolve) => (done = resolve))
  const jobs = await start(async () => {
    const { rows } = await database.pool.query('select locked_by as worker_id from graphile_worker.jobs')
    await expect.poll(workers).toHaveLength(1)
    names.push(rows, await workers())
    done()
  })
  await addJob(database.db, 'work', {})
  await isDone
  await jobs[Symbol.asyncDispose]()
  expect(names[0]).toEqual(names[1])
  expect(await workers()).toEqual([])
})

test('a process that goes on after others have forgotten its workers puts them on record again', async () => {
  const jobs = await start(async () => {})
  await expect.poll(workers).toHaveLength(1)
  const before = await workers()
  await database.pool.query('delete from job_workers')
  await expect.poll(workers).toEqual(before)
  await jobs[Symbol.asyncDispose]()
  expect(await workers()).toEqual([])
})

test('jobs of a running process stay with it until its connection ends', async () => {
  const nodeId = randomUUID()
  const living = new pg.Client(database.pool.options)
  await living.connect()
  await holdNodeLock(living, nodeId)
  await insertWorkers(database.pool, nodeId, ['living'])
  await leaveJobWith('living')
  const lockedBy = async () =>
    (await database.pool.query('select locked_by from graphile_worker.jobs')).rows[0].locked_by
  await releaseDeadWorkers(database.pool, randomUUID())
  expect(await lockedBy()).toBe('living')
  const ended = once(living, 'end')
  await living.end()
  await ended
  await expect
    .poll(async () => {
      await releaseDeadWorkers(database.pool, randomUUID())
      return lockedBy()
    })
    .toBe(null)
})
