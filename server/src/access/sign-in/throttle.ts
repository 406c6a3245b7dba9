/**
 * Repeated wrong passwords slow down, per account and per address: the first few are free, then the pause doubles. The
 * owner of an account that somebody else is guessing at waits only for the failures from their own address. [contract §2]
 */
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'
import { coalesce } from '../../lib/coalesce.ts'

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

/** The threads that hash passwords. More at once would take no less time, and right ones would pass for guesses. */
const CHECKS_AT_ONCE = 4

export type PasswordCheck = (attempt: Attempt, isRight: () => Promise<boolean>) => Promise<boolean>

/**
 * Looks at passwords, a few at once.
 * @returns a check that throws rate_limited, without a look, while the pause after the last failures lasts
 */
export function createPasswordCheck(db: Kysely<Tables>): PasswordCheck {
  const inTurn = coalesce<() => Promise<boolean>, boolean>(
    (checks) => Promise.all(checks.map((check) => check())),
    { maxBatch: 1, concurrency: CHECKS_AT_ONCE },
  )
  return (attempt, isRight) =>
    inTurn(async () => {
      const guess = await countGuess(db, attempt)
      const right = await isRight()
      if (right) await giveBack(db, attempt, guess)
      return right
    })
}

interface Guess {
  at: Date
  /** Of the address's last guess before this one. */
  addressBefore: Date
}

/** As a failure, before anybody knows whether it is one: or many that come at once would all be free. */
function countGuess(db: Kysely<Tables>, attempt: Attempt): Promise<Guess> {
  const keys = keysOf(attempt)
  return db.transaction().execute(async (tx) => {
    const rows = await lockFailures(
      tx,
      keys.map(({ key }) => key),
    )
    const at = new Date()
    for (const { key, free } of keys) requireNoPause(rows.get(key)!, free, at)
    await sql`update login_failures set last_failure_at = ${at}, failures = case
        when last_failure_at < ${at}::timestamptz - make_interval(secs => ${MEMORY_SECONDS}) then 1
        else failures + 1 end
      where key = any(${[...rows.keys()]}::text[])`.execute(tx)
    return { at, addressBefore: rows.get(keys[1]!.key)!.last_failure_at }
  })
}

type Failures = Selectable<Tables['login_failures']>

/**
 * In the order of their keys, so that two guesses never wait for each other in a circle. A row that is there is written
 * as it is: whoever locked it otherwise might find it deleted by the time it has the lock.
 */
async function lockFailures(tx: Kysely<Tables>, keys: string[]): Promise<Map<string, Failures>> {
  const { rows } = await sql<Failures>`
    insert into login_failures as f (key, failures, last_failure_at)
    select key, 0, ${new Date()} from unnest(${keys}::text[]) key order by key collate "C"
    on conflict (key) do update set failures = f.failures returning *`.execute(tx)
  return new Map(rows.map((row) => [row.key, row]))
}

/** @throws rate_limited */
function requireNoPause({ failures, last_failure_at }: Failures, free: number, at: Date): void {
  if (failures < free) return
  const waitSeconds = pauseSeconds(failures - free) - (at.getTime() - last_failure_at.getTime()) / 1000
  if (waitSeconds > 0)
    throw new ApiError('rate_limited', 'Too many wrong passwords. Wait, then try again.', {}, waitSeconds)
}

const pauseSeconds = (failuresBeyondFree: number) => Math.min(2 ** failuresBeyondFree, LONGEST_PAUSE_SECONDS)

/**
 * The right password clears the account's count. Of the address's it takes back its own guess alone: one own account is
 * no licence to guess others.
 */
async function giveBack(db: Kysely<Tables>, attempt: Attempt, { at, addressBefore }: Guess): Promise<void> {
  await forgetFailures(db, attempt)
  await sql`update login_failures set failures = greatest(failures - 1, 0),
      last_failure_at = case when last_failure_at = ${at} then ${addressBefore} else last_failure_at end
    where key = ${keysOf(attempt)[1]!.key}`.execute(db)
}

/** The account's. */
export async function forgetFailures(db: Kysely<Tables>, attempt: Attempt): Promise<void> {
  await db.deleteFrom('login_failures').where('key', '=', keysOf(attempt)[0]!.key).execute()
}

export const deleteForgottenFailures = (db: Kysely<Tables>) =>
  sql`delete from login_failures where last_failure_at < now() - make_interval(secs => ${MEMORY_SECONDS})`.execute(
    db,
  )
