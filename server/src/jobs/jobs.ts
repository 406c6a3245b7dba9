/** Work after the answer: jobs from the database, run by graphile-worker, tried again with back-off until they succeed. */
import { type Logger as WorkerLogger, Logger, run, runMigrations } from 'graphile-worker'
import type pg from 'pg'
import type { Logger as Log } from 'pino'

/** By task name. A task that throws is tried again. */
export type Tasks = Record<string, (payload: unknown) => Promise<void>>

export interface JobOptions {
  pool: pg.Pool
  log: Log
  tasks: Tasks
  /** Lines of cron: `0 3 * * * task-name`. Times are UTC. */
  crontab: string
}

const CONCURRENCY = 4

/** Jobs can be added once the tables are there; nothing runs yet. */
export const migrateJobs = (pool: pg.Pool, log: Log): Promise<void> =>
  runMigrations({ pgPool: pool, logger: workerLogger(log) })

export async function startJobs({ pool, log, tasks, crontab }: JobOptions): Promise<AsyncDisposable> {
  const runner = await run({
    pgPool: pool,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    pollInterval: 2000,
    taskList: tasks,
    crontab,
    logger: workerLogger(log),
  })
  return { [Symbol.asyncDispose]: () => runner.stop() }
}

function workerLogger(log: Log): WorkerLogger {
  const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const
  return new Logger(() => (level, message) => log[levels[level]]({ from: 'jobs' }, message))
}
