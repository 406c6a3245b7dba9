/** A job is added by SQL in the caller's transaction: it commits with the data that caused it, or not at all. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'

export interface JobOptions {
  /** One job of this key waits at a time; a second one replaces it. */
  key?: string
  runAt?: Date
  maxAttempts?: number
}

export async function addJob(
  db: Kysely<Tables>,
  task: string,
  payload: object,
  options: JobOptions = {},
): Promise<void> {
  const { key = null, runAt = null, maxAttempts = 25 } = options
  await sql`select graphile_worker.add_job(${task}, payload := ${JSON.stringify(payload)}::json,
    job_key := ${key}::text, run_at := ${runAt}::timestamptz, max_attempts := ${maxAttempts}::int)`.execute(
    db,
  )
}
