import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../test/harness/database.ts'
import { startTestJobs } from '../../test/harness/due-jobs.ts'
import { addJob } from './add-job.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const jobs = async () =>
  (await database.pool.query('select payload, locked_by from graphile_worker._private_jobs order by id')).rows

test('one job of a key waits at a time', async () => {
  await addJob(database.db, 'work', { of: 'first' }, { key: 'one' })
  await addJob(database.db, 'work', { of: 'second' }, { key: 'one' })
  expect(await jobs()).toEqual([{ payload: { of: 'second' }, locked_by: null }])
  await database.pool.query('delete from graphile_worker._private_jobs')
})

test('a job that runs while another of its key is added is followed by that one', async () => {
  const { pool, db } = database
  await addJob(db, 'work', { of: 'before' }, { key: 'same' })
  const worker = await pool.connect()
  const { rows } = await worker.query('select pg_backend_pid() as pid')
  await worker.query('begin')
  await worker.query(`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'taker'`)
  const adding = addJob(db, 'work', { of: 'after' }, { key: 'same' })
  const waiting = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))'
  await expect.poll(async () => (await pool.query(waiting, [rows[0].pid])).rowCount).toBe(1)
  await worker.query('commit')
  worker.release()
  await adding
  expect(await jobs()).toEqual([
    { payload: { of: 'before' }, locked_by: 'taker' },
    { payload: { of: 'after' }, locked_by: null },
  ])
})

test('jobs of one queue run one after the other', async () => {
  const { pool, db } = database
  await pool.query('delete from graphile_worker._private_jobs')
  for (let job = 0; job < 3; job++) await addJob(db, 'work', { job }, { queue: 'single file' })
  const ran: number[] = []
  let running = 0
  const work = async (payload: unknown) => {
    expect(++running).toBe(1)
    // Other jobs that can run start within this time.
    await sleep(50)
    running--
    ran.push((payload as { job: number }).job)
  }
  await using _jobs = await startTestJobs(database, { work })
  await expect.poll(() => ran).toEqual([0, 1, 2])
})
