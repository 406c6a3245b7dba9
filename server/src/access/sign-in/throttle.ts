/**
 * Repeated wrong passwords slow down sign-ins of an account from one network, of a network, and of an account from all
 * networks (the ceiling).
 *
 * The ceiling must not lock the owner out: a browser that signed in before, recognized by its cookie, has its own
 * counter, and networks from which the user signed in before are exempt.
 */
import { availableParallelism } from 'node:os'
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import {
  countFailure,
  deleteFailures,
  type FailureCounter,
  lockFailures,
  requireNoPause,
  takeBackFailure,
} from './failures.ts'

const FREE_FAILURES_PER_ACCOUNT = 5
const FREE_FAILURES_PER_NETWORK = 50
const FREE_FAILURES_OVER_ALL_NETWORKS = 100
const LONGEST_PAUSE_SECONDS = 900
/** Shorter, since it may also delay an owner who signs in from a new place. */
const LONGEST_PAUSE_OVER_ALL_NETWORKS_SECONDS = 60

export interface Attempt {
  email: string
  /** The network of the client, from `clientNetwork`. */
  network: string
  /** The id of a browser or sign-in that the account has used before. */
  knownDevice?: string
  /** Whether the user has signed in from the network before. */
  isKnownNetwork?: boolean
}

interface Counters {
  /** Counters that a right password resets. */
  own: FailureCounter[]
  /**
   * Counters from which a right password removes only its own attempt, so that an attacker's own account does not reset
   * them.
   */
  shared: FailureCounter[]
}

const ownKey = ({ email, network, knownDevice }: Attempt) =>
  `account:${email.toLowerCase()}@${knownDevice ? `device:${knownDevice}` : network}`
const ceilingKey = ({ email }: Pick<Attempt, 'email'>) => `account:${email.toLowerCase()}`

function listCounters(attempt: Attempt): Counters {
  const longestPauseSeconds = LONGEST_PAUSE_SECONDS
  const own = [{ key: ownKey(attempt), free: FREE_FAILURES_PER_ACCOUNT, longestPauseSeconds }]
  if (attempt.knownDevice) return { own, shared: [] }
  const network = { key: `address:${attempt.network}`, free: FREE_FAILURES_PER_NETWORK, longestPauseSeconds }
  if (attempt.isKnownNetwork) return { own, shared: [network] }
  const ceiling = {
    key: ceilingKey(attempt),
    free: FREE_FAILURES_OVER_ALL_NETWORKS,
    longestPauseSeconds: LONGEST_PAUSE_OVER_ALL_NETWORKS_SECONDS,
  }
  return { own, shared: [network, ceiling] }
}

/**
 * A check takes a core for about 30 ms. More at once would delay device messages, and right passwords would count as
 * failures for longer.
 */
const CHECKS_AT_ONCE = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)))

/** Further sign-ins are refused without a database query. This many waiting sign-ins take about three seconds. */
const MAX_WAITING_OF_NETWORK = 100
const RETRY_AFTER_SECONDS = 3

interface Claim {
  attempt: Attempt
  isRight(): Promise<boolean>
}

/** @param prepare runs in its turn, since many sign-ins at once would otherwise take all database connections */
export type PasswordCheck = (network: string, prepare: () => Promise<Claim>) => Promise<boolean>

/**
 * Checks a few passwords at once; networks take turns.
 * @returns a check that throws rate_limited, without checking the password, while the pause after the last failures
 * lasts, or if too many sign-ins of the network wait
 */
export function createPasswordCheck(db: Kysely<Tables>, now = () => new Date()): PasswordCheck {
  const inTurn = createFairQueue({
    concurrency: CHECKS_AT_ONCE,
    maxWaiting: MAX_WAITING_OF_NETWORK,
    refuse: tooManyWait,
  })
  return (network, prepare) =>
    inTurn(network, async () => {
      const { attempt, isRight } = await prepare()
      const guess = await countGuess(db, listCounters(attempt), now)
      const right = await isRight()
      if (right) await takeBackGuess(db, guess)
      return right
    })
}

const tooManyWait = () =>
  new ApiError(
    'rate_limited',
    'Too many sign-ins from this network wait for their turn. Wait, then try again.',
    {},
    RETRY_AFTER_SECONDS,
  )

interface Guess {
  at: Date
  ownKeys: string[]
  shared: { key: string; lastFailureBefore: Date }[]
}

/** Counts an attempt as a failure before it is checked; otherwise many concurrent attempts would all be free. */
function countGuess(db: Kysely<Tables>, { own, shared }: Counters, now: () => Date): Promise<Guess> {
  const counters = [...own, ...shared]
  return db.transaction().execute(async (tx) => {
    const locked = await lockFailures(tx, counters)
    const at = now()
    requireNoPause(counters, locked, { at, message: 'Too many wrong passwords. Wait, then try again.' })
    await countFailure(tx, [...locked.keys()], at)
    return {
      at,
      ownKeys: own.map(({ key }) => key),
      shared: shared.map(({ key }) => ({ key, lastFailureBefore: locked.get(key)!.last_failure_at })),
    }
  })
}

async function takeBackGuess(db: Kysely<Tables>, { at, ownKeys, shared }: Guess): Promise<void> {
  await deleteFailures(db, ownKeys)
  const before = shared.map(({ lastFailureBefore }) => lastFailureBefore)
  const keys = shared.map(({ key }) => key)
  if (keys.length > 0) await takeBackFailure(db, keys, at, before)
}

/** Clears the counters after a password reset by mail, so that the user signs in from there without a pause. */
export const clearFailures = (db: Kysely<Tables>, attempt: Attempt) =>
  deleteFailures(db, [ownKey(attempt), ceilingKey(attempt)])
