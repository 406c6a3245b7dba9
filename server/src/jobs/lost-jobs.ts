/**
 * Finds jobs that the database gave to a worker of this process in an answer that was lost: they are locked, but no
 * worker runs them. graphile-worker itself would retry them only after four hours.
 */
import type { WorkerEvents } from 'graphile-worker'
import type pg from 'pg'

/** Longer than any answer of the database takes. */
const LOST_AFTER_MS = 60_000
/** More than the jobs that can be locked at once. */
const MAX_STARTED = 10_000

interface Attempt {
  id: string
  attempts: number
}

export interface LostJobs extends Disposable {
  /** Checks for lost jobs when all present queries have ended. */
  checkLater(): void
}

export function watchLostJobs(
  pool: pg.Pool,
  events: WorkerEvents,
  { afterMs = LOST_AFTER_MS, onFailure }: { afterMs?: number | undefined; onFailure(error: unknown): void },
): LostJobs {
  const started = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  /** Whether to look again after the check that is due: it comes too early for what was lost meanwhile. */
  let looksAgain = false
  let workerId = ''
  const lookLater = () => {
    if (timer) looksAgain = true
    else timer = setTimeout(check, afterMs).unref()
  }
  const check = async () => {
    timer = undefined
    if (looksAgain) {
      looksAgain = false
      lookLater()
    }
    try {
      const held = await listHeld(pool, workerId, afterMs)
      await release(
        pool,
        workerId,
        held.filter((attempt) => !started.has(attemptKey(attempt))),
      )
    } catch (error) {
      onFailure(error)
      lookLater()
    }
  }
  events.on('pool:create', ({ workerPool }) => (workerId = workerPool.id))
  events.on('job:start', ({ job }) => {
    started.add(attemptKey(job))
    if (started.size > MAX_STARTED) started.delete(started.values().next().value!)
  })
  return { checkLater: lookLater, [Symbol.dispose]: () => clearTimeout(timer) }
}

const attemptKey = ({ id, attempts }: Attempt) => `${id} ${attempts}`

async function listHeld(pool: pg.Pool, workerId: string, forMs: number): Promise<Attempt[]> {
  const { rows } = await pool.query<Attempt>(
    `select id, attempts from graphile_worker._private_jobs
     where locked_by = $1 and locked_at < now() - make_interval(secs => $2::float8 / 1000)`,
    [workerId, forMs],
  )
  return rows
}

const release = (pool: pg.Pool, workerId: string, lost: Attempt[]): Promise<unknown> =>
  pool.query(
    `with lost as (
       update graphile_worker._private_jobs set locked_at = null, locked_by = null
       where locked_by = $1 and (id, attempts) in (select * from unnest($2::bigint[], $3::int[]))
       returning job_queue_id
     )
     update graphile_worker._private_job_queues set locked_at = null, locked_by = null
     where locked_by = $1 and id in (select job_queue_id from lost)`,
    [workerId, lost.map(({ id }) => id), lost.map(({ attempts }) => attempts)],
  )
