import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../src/clock.ts'

/** Real time, except that no sleep is longer than a few milliseconds. Requested sleeps are recorded. */
export interface QuickClock extends Clock {
  asked: number[]
}

/** @param random the value of every random number */
export function quickClock(random = 0): QuickClock {
  const asked: number[] = []
  return {
    asked,
    now: () => Date.now(),
    monotonicMs: () => performance.now(),
    random: () => random,
    async sleep(ms, signal) {
      asked.push(ms)
      await delay(Math.min(ms, 5), undefined, { signal }).catch(() => undefined)
    },
  }
}
