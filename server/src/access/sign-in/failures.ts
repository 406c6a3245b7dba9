/**
 * Counters of failed attempts. The first few failures are free; each further one doubles the pause. They are
 * counted in the database, so that all servers count together.
 */
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'

/** Failures older than this are forgotten. */
const FORGOTTEN_AFTER_SECONDS = 3600

export interface FailureCounter {
  key: string
  /** The number of failures without a pause. */
  free: number
  longestPauseSeconds: number
}

type Failures = Selectable<Tables['login_failures']>

/**
 * Locks the counters until the transaction ends, in the order of their keys to avoid a deadlock. An existing
 * row is updated without a change: a plain lock could wait for a row that another transaction then deletes.
 */
export async function lockFailures(
  tx: Kysely<Tables>,
  counters: FailureCounter[],
): Promise<Map<string, Failures>> {
  const keys = counters.map(({ key }) => key)
  const { rows } = await sql<Failures>`
    insert into login_failures as f (key, failures, last_failure_at)
    select key, 0, ${new Date()} from unnest(${keys}::text[]) key order by key collate "C"
    on conflict (key) do update set failures = f.failures returning *`.execute(tx)
  return new Map(rows.map((row) => [row.key, row]))
}

/** @throws rate_limited with this message while the pause of a counter lasts */
export function requireNoPause(
  counters: FailureCounter[],
  locked: Map<string, Failures>,
  { at, message }: { at: Date; message: string },
): void {
  for (const { key, free, longestPauseSeconds } of counters) {
    const { failures, last_failure_at } = locked.get(key)!
    if (failures < free) continue
    const pauseSeconds = Math.min(2 ** (failures - free), longestPauseSeconds)
    const waitSeconds = pauseSeconds - (at.getTime() - last_failure_at.getTime()) / 1000
    if (waitSeconds > 0) throw new ApiError('rate_limited', message, {}, waitSeconds)
  }
}

/** @param tx in which the counters were locked */
export const countFailure = (tx: Kysely<Tables>, keys: string[], at: Date) =>
  sql`update login_failures set last_failure_at = ${at}, failures = case
      when last_failure_at < ${at}::timestamptz - make_interval(secs => ${FORGOTTEN_AFTER_SECONDS}) then 1
      else failures + 1 end
    where key = any(${keys}::text[])`.execute(tx)

/** Takes back one failure that was counted at `at`, and with it the pause that it began. Locks in the order of `lockFailures`. */
export const takeBackFailure = (db: Kysely<Tables>, keys: string[], at: Date, lastFailuresBefore: Date[]) =>
  sql`with locked as materialized (
      select key from login_failures where key = any(${keys}::text[]) order by key collate "C" for update
    )
    update login_failures f set failures = greatest(failures - 1, 0),
      last_failure_at = case when last_failure_at = ${at} then own.before else last_failure_at end
    from unnest(${keys}::text[], ${lastFailuresBefore}::timestamptz[]) as own (key, before) join locked using (key)
    where f.key = own.key`.execute(db)

export const deleteFailures = (db: Kysely<Tables>, keys: string[]) =>
  db.deleteFrom('login_failures').where('key', 'in', keys).execute()

export const deleteForgottenFailures = (db: Kysely<Tables>) =>
  sql`delete from login_failures
    where last_failure_at < now() - make_interval(secs => ${FORGOTTEN_AFTER_SECONDS})`.execute(db)
