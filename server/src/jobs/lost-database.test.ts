/** The database becomes unavailable or silent while jobs are fetched, run and completed: each job runs to its end once. */
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '../../test/harness/database.ts'
import { testLog } from '../../test/harness/log.ts'
import { startSilentProxy } from '../../test/harness/silent-proxy.ts'
import { untilBlocked } from '../../test/harness/until-blocked.ts'
import { createKysely, createPool } from '../database/pool.ts'
import { createMetrics } from '../lib/metrics.ts'
import { startJobs, type Tasks } from './jobs.ts'
import { watchLostJobs } from './lost-jobs.ts'

async function start(
  tasks: Tasks,
  lostAfterMs?: number,
  /** @returns what happens during the start */
  prepare: (database: TestDatabase) => Promise<() => Promise<unknown>> = async () => async () => {},
) {
  const database = await testDatabase()
  const proxy = await startSilentProxy(database.url)
  const pool = createPool({ connectionString: proxy.url }, testLog)
  const disturbing = (await prepare(database))()
  const jobs = await startJobs({
    pool,
    db: createKysely(pool),
    log: testLog,
    metrics: createMetrics(),
    nodes: { id: randomUUID() },
    tasks,
    crontab: '',
    lostAfterMs,
  })
  await disturbing
  return {
    database,
    proxy,
    addJob: () => database.pool.query(`select graphile_worker.add_job('work')`),
    workers: async () => (await database.pool.query('select worker_id from job_workers')).rows,
    untilNoneLeft: () =>
      vi.waitUntil(
        async () => (await database.pool.query('select from graphile_worker.jobs')).rowCount === 0,
        { interval: 100 },
      ),
    [Symbol.asyncDispose]: async () => {
      await jobs[Symbol.asyncDispose]()
      await pool.end()
      await proxy[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

test('a job that ends while the database refuses connections is completed once it accepts them', async () => {
  let runs = 0
  let finish = () => {}
  const finished = new Promise<void>((resolve) => (finish = resolve))
  await using jobs = await start({
    work: async () => {
      runs++
      await finished
    },
  })
  await jobs.addJob()
  await vi.waitUntil(() => runs === 1)
  const refusing = jobs.proxy.refuseAll()
  finish()
  // Long enough for the first attempt to complete it.
  await sleep(1_000)
  refusing.back()
  await jobs.untilNoneLeft()
  expect(runs).toBe(1)
})

test('a start goes on where the connection of its first query is closed', async () => {
  let runs = 0
  await using jobs = await start({ work: async () => void runs++ }, undefined, async ({ pool }) => {
    const holder = await pool.connect()
    await holder.query('begin; lock table job_workers in access exclusive mode')
    return async () => {
      await untilBlocked(pool)
      const { rowCount } = await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      )
      expect(rowCount).toBe(1)
      await holder.query('rollback')
      holder.release()
    }
  })
  await jobs.addJob()
  await jobs.untilNoneLeft()
  expect(runs).toBe(1)
})

test('a job whose assignment was lost with the connection runs soon', async () => {
  let runs = 0
  await using jobs = await start({ work: async () => void runs++ }, 10_000)
  await vi.waitUntil(async () => (await jobs.workers()).length === 1)
  const [worker] = await jobs.workers()
  // The state after such an answer was lost: the job is locked by a worker that does not know it.
  await jobs.database.pool.query(
    `select graphile_worker.add_job('work', run_at := now() + interval '1 hour')`,
  )
  await jobs.database.pool.query(
    `update graphile_worker._private_jobs
     set locked_by = $1, locked_at = now(), attempts = attempts + 1, run_at = now() - interval '1 second'`,
    [worker.worker_id],
  )
  jobs.proxy.silence()
  await jobs.untilNoneLeft()
  expect(runs).toBe(1)
})

test('a job that is lost shortly before the check for earlier ones runs soon, too', async () => {
  await using database = await testDatabase()
  const { pool } = database
  const events = new EventEmitter()
  using lost = watchLostJobs(pool, events, { afterMs: 2_000, onFailure: () => {} })
  events.emit('pool:create', { workerPool: { id: 'worker' } })
  lost.checkLater()
  await sleep(1_000)
  await pool.query(`select graphile_worker.add_job('work')`)
  await pool.query(
    `update graphile_worker._private_jobs set locked_by = 'worker', locked_at = now(), attempts = 1`,
  )
  lost.checkLater()
  await vi.waitFor(async () =>
    expect((await pool.query('select locked_by from graphile_worker._private_jobs')).rows).toEqual([
      { locked_by: null },
    ]),
  )
})

test('a job whose completion was lost is completed, and does not run again', async () => {
  let runs = 0
  await using jobs = await start({
    work: async () => {
      runs++
      jobs.proxy.silence()
    },
  })
  await jobs.addJob()
  await jobs.untilNoneLeft()
  expect(runs).toBe(1)
})
