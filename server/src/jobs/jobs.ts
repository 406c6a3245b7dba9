/** Background jobs from the database, run by graphile-worker and retried with back-off until they succeed. */
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
import { createRetryingPool } from './retrying-pool.ts'
import { RECEIVER_SLOTS, type SendingTask } from './receiver.ts'
import { createReceiverSlots } from './receiver-slots.ts'
import { sendWith } from './send.ts'
import { deleteWorkers, insertWorkers, releaseDeadWorkers } from '../nodes/job-workers.ts'

type Task = (payload: unknown) => Promise<void>

/** By task name. A task that throws is retried. */
export type Tasks = Record<string, Task | SendingTask>

export interface JobOptions {
  pool: pg.Pool
  db: Kysely<Tables>
  log: Log
  metrics: DeliveryMetrics
  /** This node; it holds its lock (`nodes/node-lock.ts`). */
  nodes: { id: string }
  tasks: Tasks
  /** Lines of a crontab: `0 3 * * * task-name`. Times are UTC. */
  crontab: string
  /** For tests. */
  lostAfterMs?: number | undefined
}

export interface Jobs extends AsyncDisposable {
  /** Waits for running jobs and restarts the crontab, whose next minute is kept in memory, at the present time. */
  restart(): Promise<void>
}

const CONCURRENCY = 4
const RELEASE_EVERY_MS = 5_000
const MEASURE_EVERY_MS = 15_000
/** New jobs are announced by NOTIFY; the next job of a queue is found by polling, since the worker polls before the last job is completed. */
const POLL_EVERY_MS = 500
/** Polling interval of each of many workers: the latest delay of retries and ends of pauses. */
const POLL_SENDING_EVERY_MS = 5_000

/** Creates graphile-worker's tables, so that jobs can be added; none runs yet. */
export const migrateJobs = (pool: pg.Pool, log: Log): Promise<void> =>
  runMigrations({ pgPool: pool, logger: workerLogger(log) })

export async function startJobs(options: JobOptions): Promise<Jobs> {
  const { pool, log } = options
  const { id: nodeId } = options.nodes
  // It is tried again after some seconds, and whatever keeps the database away is told as an error elsewhere.
  const failed = (error: unknown) => log.warn({ err: error }, 'jobs of dead nodes cannot be released yet')
  // Others may have found this node dead while it was too busy starting for its beats, and have closed its connections.
  await releaseDeadWorkers(pool, nodeId).catch(failed)
  const workerIds = new Set<string>()
  let recorded: Promise<unknown> = Promise.resolve()
  // Other nodes forget the workers of one that hangs; if it goes on and dies later, its jobs have to be found.
  const record = () => (recorded = insertWorkers(pool, nodeId, [...workerIds]))
  const release = () => Promise.all([releaseDeadWorkers(pool, nodeId), record()]).catch(failed)
  const releasing = setInterval(() => void release(), RELEASE_EVERY_MS)
  const notMeasured = (error: Error) =>
    log.warn({ reason: error.message }, 'delivery metrics cannot be updated')
  const measuring = setInterval(() => void measureReceivers(options).catch(notMeasured), MEASURE_EVERY_MS)
  const createParts = () => {
    const parts = createWorkerParts(options, failed)
    // Workers lock jobs under the id of their pool.
    parts.events.on('pool:create', ({ workerPool }) => {
      workerIds.add(workerPool.id)
      record().catch(failed)
    })
    return parts
  }
  let plain = await runPlainTasks(options, createParts())
  const sending = await runSendingTasks(options, createParts())
  let restarting: Promise<void> | undefined
  const restart = async () => {
    const before = plain
    // If the start fails, the next restart has nothing to stop.
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
      await recorded.catch(() => {})
      await deleteWorkers(pool, nodeId)
    },
  }
}

/** Parts that the workers of plain and of sending tasks each have. */
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
  return { events, lostJobs, pgPool: createRetryingPool(pool, lostJobs.checkLater) }
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
    pollInterval: POLL_EVERY_MS,
    taskList: Object.fromEntries(tasks) as Record<string, Task>,
    crontab: options.crontab,
  })
}

/** Sending tasks have their own workers, so that receivers that hang do not delay other work. */
async function runSendingTasks(options: JobOptions, parts: WorkerParts) {
  const slots = createReceiverSlots(parts.events)
  const tasks = Object.entries(options.tasks).flatMap(([name, task]) =>
    isSending(task) ? [[name, sendWith({ ...options, slots }, task)] as const] : [],
  )
  if (tasks.length === 0) return undefined
  return runWorkers(options, parts, {
    concurrency: RECEIVER_SLOTS,
    pollInterval: POLL_SENDING_EVERY_MS,
    taskList: Object.fromEntries(tasks),
    crontab: '',
    forbiddenFlags: slots.findForbiddenFlags,
  })
}

function workerLogger(log: Log): WorkerLogger {
  const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const
  return new Logger(() => (level, message) => {
    // More jobs than connections are intended: sending jobs mostly wait for their receivers.
    const isExpected = message.includes('maxPoolSize')
    log[isExpected ? 'debug' : levels[level]]({ from: 'jobs' }, message)
  })
}
