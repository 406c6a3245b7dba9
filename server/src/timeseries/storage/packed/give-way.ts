import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** Packing rests at least as long as it works, so it uses half of one core at most. */
const MIN_REST_MS = 10
/** The rest is repeated if this process was busy for more than this share of it. */
const BUSY_SHARE = 0.7
/** The limit lets packing progress slowly on a machine that is always busy. */
const MAX_RESTS = 20

interface RestOptions {
  workedMs: number
  /** The time at which a rest ends at the latest. */
  untilMs: number
  maxRests?: number | undefined
}

/** Rests after work in the background, to give other work precedence. */
export async function giveWay(
  pool: pg.Pool,
  { workedMs, untilMs, maxRests = MAX_RESTS }: RestOptions,
): Promise<void> {
  for (let rests = 0; rests < maxRests; rests++) {
    const restMs = Math.min(Math.max(workedMs, MIN_REST_MS), untilMs - Date.now())
    if (restMs <= 0) return
    const before = performance.eventLoopUtilization()
    await sleep(restMs)
    const { utilization } = performance.eventLoopUtilization(before)
    if (utilization < BUSY_SHARE && pool.waitingCount === 0) return
  }
}

/**
 * A machine that is always busy stores more rows each day than it packs with all rests. Each day that the work is behind
 * halves their number, down to one, with which packing uses half of one core.
 */
export const restsBehind = (days: number): number =>
  Math.max(1, Math.floor(MAX_RESTS / 2 ** Math.max(0, days)))
