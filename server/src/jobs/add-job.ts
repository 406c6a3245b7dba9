/** A job is added by SQL in the caller's transaction: it commits with the data that caused it, or not at all. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { type Receiver, receiverFlags, receiverName } from './receiver.ts'

export interface JobOptions {
  /** One job of this key waits at a time; a second one replaces it. */
  key?: string
  /** Jobs of one queue run one after the other, whichever process runs them. */
  queue?: string
  runAt?: Date
  /** Whom a sending task sends to: while it is paused, the job waits. */
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
  // A worker that takes the waiting job of this key at this very moment leaves nothing to replace, and nothing is added:
  // what that worker sees may be older than this transaction. Asked again, it finds the job taken and adds another.
  for (let isAdded = false; !isAdded;) {
    const { rows } = await sql<{ id: string | null }>`
      select id from graphile_worker.add_job(${task}, payload := ${JSON.stringify(payload)}::json,
        queue_name := ${queue}::text, job_key := ${key}::text, max_attempts := ${maxAttempts}::int,
        run_at := greatest(${runAt}::timestamptz, receiver_paused_until(${receiver ? receiverName(receiver) : null})),
        flags := ${flags}::text[])`.execute(db)
    isAdded = rows[0]!.id !== null
  }
}
