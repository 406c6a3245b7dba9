import { Logger, runOnce } from 'graphile-worker'
import type { Context } from '../../src/context.ts'
import type { Tasks } from '../../src/jobs/jobs.ts'

const quiet = new Logger(() => () => {})

/** Runs all jobs as if their time had come. One that throws stays. @returns the tasks' names */
export async function runAllJobs({ pool }: Pick<Context, 'pool'>, tasks: Tasks): Promise<string[]> {
  const { rows } = await pool.query<{ task: string }>(
    'select task_identifier as task from graphile_worker.jobs order by id',
  )
  await pool.query('update graphile_worker._private_jobs set run_at = now()')
  await runOnce({ pgPool: pool, taskList: tasks, logger: quiet })
  return rows.map(({ task }) => task)
}
