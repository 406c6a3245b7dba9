/** Work after the answer: jobs from the database, run by graphile-worker, tried again with back-off until they succeed. */
import { EventEmitter } from 'node:events'
import { type Logger as WorkerLogger, Logger, run, runMigrations, type WorkerEvents } from 'graphile-worker'
import type pg from 'pg'
import type { Logger as Log } from 'pino'
import { watchLostJobs } from './lost-jobs.ts'
import { patientPool } from './patient-pool.ts'
import { deleteWorkers, insertWorker, releaseDeadWorkers } from './workers.ts'

/** By task name. A task that throws is tried again. */
export type Tasks = Record<string, (payload: unknown) => Promise<void>>

export interface JobOptions {
  pool: pg.Pool
  log: Log
  /** Of this process, which holds its lock: see `database/node-lock.ts`. */
  nodeId: string
  tasks: Tasks
  /** Lines of cron: `0 3 * * * task-name`. Times are UTC. */
  crontab: string
  /** For tests. */
  lostAfterMs?: number
}

const CONCURRENCY = 4
const RELEASE_EVERY_MS = 5_000
/** New jobs are heard of. A queue's next one is looked for so often, as its worker looks before the last one is put away. */
const LOOK_EVERY_MS = 500

/** Jobs can be added once the tables are there; nothing runs yet. */
export const migrateJobs = (pool: pg.Pool, log: Log): Promise<void> =>
  runMigrations({ pgPool: pool, logger: workerLogger(log) })

export interface Jobs extends AsyncDisposable {
  /** Waits for the jobs that run, and counts minutes from now on: the next minute of the crontab is in memory. */
  restart(): Promise<void>
}

export async function startJobs(options: JobOptions): Promise<Jobs> {
  const { pool, log, nodeId, tasks, crontab, lostAfterMs } = options
  await releaseDeadWorkers(pool, nodeId)
  const events: WorkerEvents = new EventEmitter()
  const failed = (error: unknown) => log.error({ err: error }, 'workers of jobs cannot be told apart')
  const known: Promise<unknown>[] = []
  // Its workers lock jobs in its name.
  events.on('pool:create', ({ workerPool }) =>
    known.push(insertWorker(pool, nodeId, workerPool.id).catch(failed)),
  )
  const lostJobs = watchLostJobs(pool, events, { afterMs: lostAfterMs, onFailure: failed })
  const releasing = setInterval(() => void releaseDeadWorkers(pool, nodeId).catch(failed), RELEASE_EVERY_MS)
  const start = () =>
    run({
      pgPool: patientPool(pool, lostJobs.lookLater),
      concurrency: CONCURRENCY,
      noHandleSignals: true,
      pollInterval: LOOK_EVERY_MS,
      taskList: tasks,
      crontab,
      events,
      logger: workerLogger(log),
    })
  let runner = await start()
  let restarting: Promise<void> | undefined
  return {
    restart: () =>
      (restarting ??= (async () => {
        await runner.stop()
        runner = await start()
      })().finally(() => (restarting = undefined))),
    [Symbol.asyncDispose]: async () => {
      clearInterval(releasing)
      lostJobs[Symbol.dispose]()
      await restarting?.catch(() => {})
      await runner.stop()
      await Promise.all(known)
      await deleteWorkers(pool, nodeId)
    },
  }
}

function workerLogger(log: Log): WorkerLogger {
  const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const
  return new Logger(() => (level, message) => log[levels[level]]({ from: 'jobs' }, message))
}
