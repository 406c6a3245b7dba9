import type { Clock } from '../src/clock.ts'

/** A clock that stands still until the test moves it. */
export interface ManualClock extends Clock {
  /** Durations of the running sleeps, shortest first. */
  sleeping(): number[]
  /** Moves the clock and ends the sleeps that are over then. */
  advance(ms: number): void
}

/** @param random the value of every random number */
export function manualClock(startMs: number, random = 0.5): ManualClock {
  let nowMs = startMs
  const sleeps = new Map<() => void, number>()
  return {
    now: () => nowMs,
    monotonicMs: () => nowMs - startMs,
    random: () => random,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const wake = () => {
          sleeps.delete(wake)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        sleeps.set(wake, nowMs + ms)
        signal?.addEventListener('abort', wake)
        if (signal?.aborted) wake()
      }),
    sleeping: () => [...sleeps.values()].map((endMs) => endMs - nowMs).toSorted((a, b) => a - b),
    advance(ms) {
      nowMs += ms
      for (const [wake, endMs] of sleeps) if (endMs <= nowMs) wake()
    },
  }
}
