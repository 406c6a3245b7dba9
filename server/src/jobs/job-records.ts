/** Jobs as operators see them. Their payloads, which may hold secrets, are not read. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { PageRequest } from '../http/page.ts'

/** `failed`: every try has failed, and there is none left. */
export const jobStates = ['waiting', 'running', 'failed'] as const
export type JobState = (typeof jobStates)[number]

/** SQL: the state of a job `j`. */
export const jobState = sql<JobState>`case
  when j.locked_at is not null then 'running'
  when j.attempts < j.max_attempts then 'waiting'
  else 'failed' end`

export interface JobRow {
  id: string
  task: string
  state: JobState
  attempts: number
  max_attempts: number
  last_error: string | null
  created_at: Date
  run_at: Date
}

/** Whether it is the id of a job, in the range of the database. */
export const isJobId = (key: string) => /^[1-9]\d{0,17}$/.test(key)

/** @returns the oldest first, and one row more than the limit if there are more */
export async function listJobs(
  db: Kysely<Tables>,
  { state, task }: { state?: JobState | undefined; task?: string | undefined },
  { limit, after = '0' }: PageRequest,
): Promise<JobRow[]> {
  const { rows } = await sql<JobRow>`
    select j.id::text as id, t.identifier as task, ${jobState} as state, j.attempts::int as attempts,
      j.max_attempts::int as max_attempts, j.last_error, j.created_at, j.run_at
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where j.id > ${after}::bigint
      and ${state === undefined ? sql`true` : sql`${jobState} = ${state}`}
      and ${task === undefined ? sql`true` : sql`t.identifier = ${task}`}
    order by j.id limit ${limit + 1}`.execute(db)
  return rows
}

interface TaskFigures {
  task: string
  waiting: number
  running: number
  failed: number
  /** When the oldest job that could run now became due; null if none waits for a worker. */
  oldest_due_at: Date | null
  /** When the oldest failed job was tried last. */
  oldest_failed_at: Date | null
}

/** Counts the jobs of the whole installation by task. */
export async function countJobs(db: Kysely<Tables>): Promise<TaskFigures[]> {
  const { rows } = await sql<TaskFigures>`
    select task, count(*) filter (where state = 'waiting')::int as waiting,
      count(*) filter (where state = 'running')::int as running,
      count(*) filter (where state = 'failed')::int as failed,
      min(run_at) filter (where state = 'waiting' and run_at <= now()) as oldest_due_at,
      min(updated_at) filter (where state = 'failed') as oldest_failed_at
    from (
      select t.identifier as task, ${jobState} as state, j.run_at, j.updated_at
      from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    ) job
    group by task order by task`.execute(db)
  return rows
}
