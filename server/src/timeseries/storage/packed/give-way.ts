import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** Packing rests at least as long as it works, so it uses half of one core at most. */
const MIN_REST_MS = 10
/** The rest is repeated if this process was busy for more than this share of it. */
const BUSY_SHARE = 0.7
/** The limit lets packing progress slowly on a machine that is always busy. */
const MAX_RESTS = 20

/** Rests after work in the background, to give other work precedence. */
export async function giveWay(pool: pg.Pool, workedMs: number, untilMs: number): Promise<void> {
  for (let rests = 0; rests < MAX_RESTS; rests++) {
    const restMs = Math.min(Math.max(workedMs, MIN_REST_MS), untilMs - Date.now())
    if (restMs <= 0) return
    const before = performance.eventLoopUtilization()
    await sleep(restMs)
    const { utilization } = performance.eventLoopUtilization(before)
    if (utilization < BUSY_SHARE && pool.waitingCount === 0) return
  }
}
