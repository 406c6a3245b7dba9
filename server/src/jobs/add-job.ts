/** Adds a job by SQL in the caller's transaction, so that it commits with the data that caused it, or not at all. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { type Receiver, receiverFlags, receiverName } from './receiver.ts'

export interface JobOptions {
  /** At most one job with this key waits; a second one replaces it. */
  key?: string
  /** Jobs of one queue run one after the other, on whichever node. */
  queue?: string
  runAt?: Date
  /** The receiver of a sending task; while it is paused, the job waits. */
  receiver?: Receiver
  maxAttempts?: number
}

export async function addJob(
  db: Kysely<Tables>,
  task: string,
  payload: object,
  options: JobOptions = {},
): Promise<void> {
  const { key = null, queue = null, runAt = null, maxAttempts = 25, receiver } = options
  const flags = receiver ? receiverFlags(receiver) : null
  // If a worker takes the waiting job with this key at the same moment, add_job adds nothing, though that worker may not
  // see this transaction yet. The second call finds the job taken and adds another.
  for (let isAdded = false; !isAdded;) {
    const { rows } = await sql<{ id: string | null }>`
      select id from graphile_worker.add_job(${task}, payload := ${JSON.stringify(payload)}::json,
        queue_name := ${queue}::text, job_key := ${key}::text, max_attempts := ${maxAttempts}::int,
        run_at := greatest(${runAt}::timestamptz, receiver_paused_until(${receiver ? receiverName(receiver) : null})),
        flags := ${flags}::text[])`.execute(db)
    isAdded = rows[0]!.id !== null
  }
}
