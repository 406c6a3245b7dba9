/** Work after the answer: jobs from the database, run by graphile-worker, tried again with back-off until they succeed. */
import { EventEmitter } from 'node:events'
import { type Logger as WorkerLogger, Logger, run, runMigrations, type WorkerEvents } from 'graphile-worker'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Logger as Log } from 'pino'
import type { Tables } from '../database/tables.ts'
import { type DeliveryMetrics, measureReceivers } from './measure-receivers.ts'
import { RECEIVER_SLOTS, type SendingTask } from './receiver.ts'
import { createReceiverSlots } from './receiver-slots.ts'
import { sendWith } from './send.ts'
import { deleteWorkers, insertWorker, releaseDeadWorkers } from './workers.ts'

export type Task = (payload: unknown) => Promise<void>

/** By task name. A task that throws is tried again. */
export type Tasks = Record<string, Task | SendingTask>

export interface JobOptions {
  pool: pg.Pool
  db: Kysely<Tables>
  log: Log
  metrics: DeliveryMetrics
  /** Of this process, which holds its lock: see `database/node-lock.ts`. */
  nodeId: string
  tasks: Tasks
  /** Lines of cron: `0 3 * * * task-name`. Times are UTC. */
  crontab: string
}

const CONCURRENCY = 4
const RELEASE_EVERY_MS = 5_000
const MEASURE_EVERY_MS = 15_000
/** New jobs are heard of. A queue's next one is looked for so often, as its worker looks before the last one is put away. */
const LOOK_EVERY_MS = 500
/** For each of many workers: retries and the ends of pauses are found so late at most. */
const LOOK_FOR_SENDING_EVERY_MS = 5_000

/** Jobs can be added once the tables are there; nothing runs yet. */
export const migrateJobs = (pool: pg.Pool, log: Log): Promise<void> =>
  runMigrations({ pgPool: pool, logger: workerLogger(log) })

export async function startJobs(options: JobOptions): Promise<AsyncDisposable> {
  const { pool, log, nodeId } = options
  await releaseDeadWorkers(pool, nodeId)
  const failed = (error: unknown) => log.error({ err: error }, 'workers of jobs cannot be told apart')
  const releasing = setInterval(() => void releaseDeadWorkers(pool, nodeId).catch(failed), RELEASE_EVERY_MS)
  const notMeasured = (error: Error) => log.warn({ reason: error.message }, 'receivers are not measured')
  const known: Promise<unknown>[] = []
  const createEvents = (): WorkerEvents => {
    const events: WorkerEvents = new EventEmitter()
    // Its workers lock jobs in its name.
    events.on('pool:create', ({ workerPool }) =>
      known.push(insertWorker(pool, nodeId, workerPool.id).catch(failed)),
    )
    return events
  }
  const measuring = setInterval(() => void measureReceivers(options).catch(notMeasured), MEASURE_EVERY_MS)
  const runners = [
    await runPlainTasks(options, createEvents()),
    await runSendingTasks(options, createEvents()),
  ]
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(releasing)
      clearInterval(measuring)
      await Promise.all(runners.map((runner) => runner?.stop()))
      await Promise.all(known)
      await deleteWorkers(pool, nodeId)
    },
  }
}

const isSending = (task: Task | SendingTask): task is SendingTask => 'isSending' in task

const commonOptions = ({ pool, log }: JobOptions) => ({
  pgPool: pool,
  noHandleSignals: true,
  logger: workerLogger(log),
})

function runPlainTasks(options: JobOptions, events: WorkerEvents) {
  const tasks = Object.entries(options.tasks).filter(([, task]) => !isSending(task))
  if (tasks.length === 0) return undefined
  return run({
    ...commonOptions(options),
    events,
    concurrency: CONCURRENCY,
    pollInterval: LOOK_EVERY_MS,
    taskList: Object.fromEntries(tasks) as Record<string, Task>,
    crontab: options.crontab,
  })
}

/** In workers of their own: however many receivers hang, all other work goes on. */
function runSendingTasks(options: JobOptions, events: WorkerEvents) {
  const slots = createReceiverSlots(events)
  const tasks = Object.entries(options.tasks).flatMap(([name, task]) =>
    isSending(task) ? [[name, sendWith({ ...options, slots }, task)] as const] : [],
  )
  if (tasks.length === 0) return undefined
  return run({
    ...commonOptions(options),
    events,
    concurrency: RECEIVER_SLOTS,
    pollInterval: LOOK_FOR_SENDING_EVERY_MS,
    taskList: Object.fromEntries(tasks),
    crontab: '',
    forbiddenFlags: slots.findForbiddenFlags,
  })
}

function workerLogger(log: Log): WorkerLogger {
  const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const
  return new Logger(() => (level, message) => log[levels[level]]({ from: 'jobs' }, message))
}
