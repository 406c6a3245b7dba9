/**
 * A circuit breaker for each receiver. After a few failures in a row its deliveries pause without using a slot, until one
 * of them is tried and decides for all. The state is in the database: it is shared by all nodes and shown to operators.
 */
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { type Receiver, receiverName } from './receiver.ts'

/** Failures in a row; a single one may be a lost packet. */
const FAILURES_UNTIL_PAUSE = 3
const FIRST_PAUSE_SECONDS = 15
const LONGEST_PAUSE_SECONDS = 600
/** Circuits without a failure for this long are deleted. */
const KEPT_DAYS = 30

export interface Circuit {
  failures: number
  reason: string
  failingSince: Date
  /** When the next delivery may try; null while the receiver is not paused. */
  retryAt: Date | null
}

type Database = Kysely<Tables>

/** A delivery that was sent before a pause and fails during it does not extend the pause. @returns whether the receiver is paused */
export async function recordFailure(db: Database, name: string, reason: string): Promise<boolean> {
  const { rows } = await sql<{ is_paused: boolean }>`
    insert into receiver_circuits as c (receiver, failures, reason) values (${name}, 1, ${reason})
    on conflict (receiver) do update set
      reason = excluded.reason,
      last_failed_at = now(),
      failures = c.failures + case when c.retry_at > now() then 0 else 1 end,
      retry_at = case
        when c.retry_at > now() then c.retry_at
        when c.failures + 1 >= ${FAILURES_UNTIL_PAUSE}::int then now() + ${pause}
      end
    returning retry_at is not null as is_paused`.execute(db)
  if (rows[0]!.is_paused) await postponeDeliveries(db, name)
  return rows[0]!.is_paused
}

/** Doubles after each failed try. */
const pause = sql`make_interval(secs => least(${LONGEST_PAUSE_SECONDS}::int,
  ${FIRST_PAUSE_SECONDS}::int * 2 ^ least(c.failures + 1 - ${FAILURES_UNTIL_PAUSE}::int, 20)))`

/** Includes the delivery that just failed: graphile-worker adds its back-off to the job's time. */
const postponeDeliveries = (db: Database, name: string) =>
  sql`update graphile_worker._private_jobs j set run_at = c.retry_at from receiver_circuits c
      where c.receiver = ${name} and j.flags ? ${name} and j.run_at < c.retry_at`.execute(db)

/** Deliveries that waited for the end of a pause are due at once. */
export async function closeCircuit(db: Database, name: string): Promise<void> {
  await sql`
    with closed as (delete from receiver_circuits where receiver = ${name} returning retry_at)
    update graphile_worker._private_jobs j set run_at = now() from closed
    where closed.retry_at > now() and j.flags ? ${name} and j.locked_at is null and j.run_at = closed.retry_at`.execute(
    db,
  )
}

/** @returns circuits by receiver name; a receiver that answers has none */
export async function findCircuits(db: Database, receivers: Receiver[]): Promise<Map<string, Circuit>> {
  if (receivers.length === 0) return new Map()
  const rows = await db
    .selectFrom('receiver_circuits')
    .selectAll()
    .where('receiver', 'in', receivers.map(receiverName))
    .execute()
  return new Map(rows.map(({ receiver, ...row }) => [receiver, readCircuit(row)]))
}

const readCircuit = (row: Omit<Selectable<Tables['receiver_circuits']>, 'receiver'>): Circuit => ({
  failures: row.failures,
  reason: row.reason,
  failingSince: row.failing_since,
  retryAt: row.retry_at,
})

/** @returns receivers that do not answer by name, those that have failed for the longest time first */
export async function listCircuits(db: Database, limit: number): Promise<(Circuit & { receiver: string })[]> {
  const rows = await db
    .selectFrom('receiver_circuits')
    .selectAll()
    .orderBy('failing_since')
    .orderBy('receiver')
    .limit(limit)
    .execute()
  return rows.map(({ receiver, ...row }) => ({ receiver, ...readCircuit(row) }))
}

export const deletePastCircuits = (db: Database): Promise<unknown> =>
  sql`delete from receiver_circuits where last_failed_at < now() - make_interval(days => ${KEPT_DAYS})`.execute(
    db,
  )
