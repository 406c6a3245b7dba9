import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Context } from '../../src/context.ts'
import { startJobs, type Tasks } from '../../src/jobs/jobs.ts'
import { createMetrics } from '../../src/lib/metrics.ts'
import { testLog } from './log.ts'

/** Starts the workers of a server with only these tasks. */
export const startTestJobs = (
  { pool, db, log = testLog }: Pick<Context, 'pool' | 'db'> & Partial<Pick<Context, 'log'>>,
  tasks: Tasks,
  crontab = '',
) => startJobs({ pool, db, log, metrics: createMetrics(), nodes: { id: randomUUID() }, tasks, crontab })

/**
 * Runs all jobs, also those that are not due and those that they add. A job that throws stays.
 * @returns the tasks' names
 */
export async function runAllJobs({ pool }: Pick<Context, 'pool'>, tasks: Tasks): Promise<string[]> {
  const { rows } = await pool.query<{ task: string }>(
    'select task_identifier as task from graphile_worker.jobs order by id',
  )
  await pool.query('update graphile_worker._private_jobs set run_at = now()')
  for (let job = await takeJob(pool, tasks); job; job = await takeJob(pool, tasks)) {
    const { id, task, payload } = job
    try {
      await tasks[task]!(payload)
      await pool.query('delete from graphile_worker._private_jobs where id = $1', [id])
    } catch {
      await pool.query(
        `update graphile_worker._private_jobs set locked_at = null, locked_by = null, run_at = now() + interval '1 hour'
         where id = $1`,
        [id],
      )
    }
  }
  return rows.map(({ task }) => task)
}

/** Runs jobs without a worker, which would return before the result of its last job is stored. */
async function takeJob(pool: pg.Pool, tasks: Tasks) {
  const { rows } = await pool.query<{ id: string; task: string; payload: unknown }>(
    `update graphile_worker._private_jobs j
     set locked_at = now(), locked_by = 'test', attempts = attempts + 1
     from graphile_worker._private_tasks t
     where t.id = j.task_id and j.id = (
       select d.id from graphile_worker._private_jobs d join graphile_worker._private_tasks k on k.id = d.task_id
       where k.identifier = any($1) and d.is_available and d.run_at <= now()
       order by d.priority, d.run_at, d.id limit 1)
     returning j.id, t.identifier as task, j.payload`,
    [Object.keys(tasks)],
  )
  return rows[0]
}
