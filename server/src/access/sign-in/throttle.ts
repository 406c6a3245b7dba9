/**
 * Repeated wrong passwords slow down, per account and per address: the first few are free, then the pause doubles. The
 * owner of an account that somebody else is guessing at waits only for the failures from their own address. [contract §2]
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'

const FREE_FAILURES_PER_ACCOUNT = 5
const FREE_FAILURES_PER_ADDRESS = 50
const LONGEST_PAUSE_SECONDS = 900
/** Failures older than this are forgotten. */
const MEMORY_SECONDS = 3600

interface Attempt {
  email: string
  address: string
}

const keysOf = ({ email, address }: Attempt) => [
  { key: `account:${email.toLowerCase()}@${address}`, free: FREE_FAILURES_PER_ACCOUNT },
  { key: `address:${address}`, free: FREE_FAILURES_PER_ADDRESS },
]

/** @throws rate_limited while the pause after the last failure lasts */
export async function requireNoPause(db: Kysely<Tables>, attempt: Attempt): Promise<void> {
  const keys = keysOf(attempt)
  const rows = await db
    .selectFrom('login_failures')
    .selectAll()
    .where(
      'key',
      'in',
      keys.map((entry) => entry.key),
    )
    .execute()
  for (const row of rows) {
    const free = keys.find((entry) => entry.key === row.key)!.free
    const waitSeconds =
      pauseSeconds(row.failures - free) - (Date.now() - row.last_failure_at.getTime()) / 1000
    if (row.failures >= free && waitSeconds > 0)
      throw new ApiError('rate_limited', 'Too many wrong passwords. Wait, then try again.', {}, waitSeconds)
  }
}

const pauseSeconds = (failuresBeyondFree: number) =>
  Math.min(2 ** Math.max(0, failuresBeyondFree), LONGEST_PAUSE_SECONDS)

export async function noteFailure(db: Kysely<Tables>, attempt: Attempt): Promise<void> {
  for (const { key } of keysOf(attempt))
    await sql`insert into login_failures (key, failures, last_failure_at) values (${key}, 1, now())
      on conflict (key) do update set last_failure_at = now(), failures = case
        when login_failures.last_failure_at < now() - make_interval(secs => ${MEMORY_SECONDS}) then 1
        else login_failures.failures + 1 end`.execute(db)
}

/** The right password clears the account's count, not the address's: one own account is no licence to guess others. */
export async function forgetFailures(db: Kysely<Tables>, attempt: Attempt): Promise<void> {
  await db.deleteFrom('login_failures').where('key', '=', keysOf(attempt)[0]!.key).execute()
}

export const deleteForgottenFailures = (db: Kysely<Tables>) =>
  sql`delete from login_failures where last_failure_at < now() - make_interval(secs => ${MEMORY_SECONDS})`.execute(
    db,
  )
