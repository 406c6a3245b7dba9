/** Work after the answer: jobs from the database, run by graphile-worker, tried again with back-off until they succeed. */
import { EventEmitter } from 'node:events'
import {
  type Logger as WorkerLogger,
  Logger,
  run,
  runMigrations,
  type RunnerOptions,
  type WorkerEvents,
} from 'graphile-worker'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Logger as Log } from 'pino'
import type { Tables } from '../database/tables.ts'
import { type LostJobs, watchLostJobs } from './lost-jobs.ts'
import { type DeliveryMetrics, measureReceivers } from './measure-receivers.ts'
import { patientPool } from './patient-pool.ts'
import { RECEIVER_SLOTS, type SendingTask } from './receiver.ts'
import { createReceiverSlots } from './receiver-slots.ts'
import { sendWith } from './send.ts'
import { deleteWorkers, insertWorker, releaseDeadWorkers } from './workers.ts'

type Task = (payload: unknown) => Promise<void>

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
  /** For tests. */
  lostAfterMs?: number | undefined
}

export interface Jobs extends AsyncDisposable {
  /** Waits for the jobs that run, and counts minutes from now on: the next minute of the crontab is in memory. */
  restart(): Promise<void>
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

export async function startJobs(options: JobOptions): Promise<Jobs> {
  const { pool, log, nodeId } = options
  await releaseDeadWorkers(pool, nodeId)
  const failed = (error: unknown) => log.error({ err: error }, 'workers of jobs cannot be told apart')
  const releasing = setInterval(() => void releaseDeadWorkers(pool, nodeId).catch(failed), RELEASE_EVERY_MS)
  const notMeasured = (error: Error) => log.warn({ reason: error.message }, 'receivers are not measured')
  const measuring = setInterval(() => void measureReceivers(options).catch(notMeasured), MEASURE_EVERY_MS)
  const known: Promise<unknown>[] = []
  const createParts = () => {
    const parts = createWorkerParts(options, failed)
    // Its workers lock jobs in its name.
    parts.events.on('pool:create', ({ workerPool }) =>
      known.push(insertWorker(pool, nodeId, workerPool.id).catch(failed)),
    )
    return parts
  }
  let plain = await runPlainTasks(options, createParts())
  const sending = await runSendingTasks(options, createParts())
  let restarting: Promise<void> | undefined
  const restart = async () => {
    const before = plain
    // Where the start fails, the next restart has nothing to stop.
    plain = undefined
    await before?.[Symbol.asyncDispose]()
    plain = await runPlainTasks(options, createParts())
  }
  return {
    restart: () => (restarting ??= restart().finally(() => (restarting = undefined))),
    [Symbol.asyncDispose]: async () => {
      clearInterval(releasing)
      clearInterval(measuring)
      await restarting?.catch(() => {})
      await Promise.all([plain, sending].map((workers) => workers?.[Symbol.asyncDispose]()))
      await Promise.all(known)
      await deleteWorkers(pool, nodeId)
    },
  }
}

/** What each of the two kinds of workers has of its own. */
interface WorkerParts {
  events: WorkerEvents
  pgPool: pg.Pool
  lostJobs: LostJobs
}

function createWorkerParts(
  { pool, lostAfterMs }: JobOptions,
  onFailure: (error: unknown) => void,
): WorkerParts {
  const events: WorkerEvents = new EventEmitter()
  const lostJobs = watchLostJobs(pool, events, { afterMs: lostAfterMs, onFailure })
  return { events, lostJobs, pgPool: patientPool(pool, lostJobs.lookLater) }
}

async function runWorkers(
  { log }: JobOptions,
  { events, pgPool, lostJobs }: WorkerParts,
  options: RunnerOptions,
): Promise<AsyncDisposable> {
  const runner = await run({ ...options, events, pgPool, noHandleSignals: true, logger: workerLogger(log) })
  return {
    [Symbol.asyncDispose]: async () => {
      lostJobs[Symbol.dispose]()
      await runner.stop()
    },
  }
}

const isSending = (task: Task | SendingTask): task is SendingTask => 'isSending' in task

async function runPlainTasks(options: JobOptions, parts: WorkerParts) {
  const tasks = Object.entries(options.tasks).filter(([, task]) => !isSending(task))
  if (tasks.length === 0) return undefined
  return runWorkers(options, parts, {
    concurrency: CONCURRENCY,
    pollInterval: LOOK_EVERY_MS,
    taskList: Object.fromEntries(tasks) as Record<string, Task>,
    crontab: options.crontab,
  })
}

/** In workers of their own: however many receivers hang, all other work goes on. */
async function runSendingTasks(options: JobOptions, parts: WorkerParts) {
  const slots = createReceiverSlots(parts.events)
  const tasks = Object.entries(options.tasks).flatMap(([name, task]) =>
    isSending(task) ? [[name, sendWith({ ...options, slots }, task)] as const] : [],
  )
  if (tasks.length === 0) return undefined
  return runWorkers(options, parts, {
    concurrency: RECEIVER_SLOTS,
    pollInterval: LOOK_FOR_SENDING_EVERY_MS,
    taskList: Object.fromEntries(tasks),
    crontab: '',
    forbiddenFlags: slots.findForbiddenFlags,
  })
}

function workerLogger(log: Log): WorkerLogger {
  const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const
  return new Logger(() => (level, message) => {
    // More jobs than connections is on purpose: jobs that send mostly wait for their receivers.
    const isExpected = message.includes('maxPoolSize')
    log[isExpected ? 'debug' : levels[level]]({ from: 'jobs' }, message)
  })
}
