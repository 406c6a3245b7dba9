/**
 * Repeated wrong passwords slow down, for an account, for a network and for an account over all networks.
 *
 * The ceiling over all networks must not lock the owner out: a browser that signed in before, recognized by its cookie,
 * is counted by itself, and a network from which the user signed in before is not subject to the ceiling.
 */
import { availableParallelism } from 'node:os'
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
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
/** Shorter: it may also hold up the owner, who signs in from a new place. */
const LONGEST_PAUSE_OVER_ALL_NETWORKS_SECONDS = 60

export interface Attempt {
  email: string
  /** From `networkOf`. */
  network: string
  /** A browser or sign-in that the account knows. */
  knownDevice?: string
  /** The user signed in from there before. */
  isKnownNetwork?: boolean
}

interface Counters {
  /** A right password clears them. */
  own: FailureCounter[]
  /** A right password takes back its own guess alone: one own account is no licence to guess others. */
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

/** Each takes a core for some 30 ms: more at once would hold up what devices send, and right ones would pass for guesses. */
const CHECKS_AT_ONCE = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)))

export type PasswordCheck = (attempt: Attempt, isRight: () => Promise<boolean>) => Promise<boolean>

/**
 * Checks passwords, a few at once; networks take turns.
 * @returns a check that throws rate_limited, without a look, while the pause after the last failures lasts
 */
export function createPasswordCheck(db: Kysely<Tables>): PasswordCheck {
  const inTurn = createFairQueue(CHECKS_AT_ONCE)
  return (attempt, isRight) =>
    inTurn(attempt.network, async () => {
      const guess = await countGuess(db, listCounters(attempt))
      const right = await isRight()
      if (right) await takeBackGuess(db, guess)
      return right
    })
}

interface Guess {
  at: Date
  ownKeys: string[]
  shared: { key: string; lastFailureBefore: Date }[]
}

/** As a failure, before anybody knows whether it is one: or many that come at once would all be free. */
function countGuess(db: Kysely<Tables>, { own, shared }: Counters): Promise<Guess> {
  const counters = [...own, ...shared]
  return db.transaction().execute(async (tx) => {
    const locked = await lockFailures(tx, counters)
    const at = new Date()
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

/** After a reset by mail the user signs in from there without a pause. */
export const clearFailures = (db: Kysely<Tables>, attempt: Attempt) =>
  deleteFailures(db, [ownKey(attempt), ceilingKey(attempt)])
