/** Failures counted in memory, by key, in windows of one minute. Bounded: the keys longest quiet are forgotten first. */
import { createBoundedCache } from '../lib/memo.ts'

const WINDOW_MS = 60_000

export interface FailureLimit {
  /** How long the key has to pause; 0 while it may go on. */
  pauseSeconds(key: string): number
  note(key: string): void
}

/** @param maxFailures of one key within a minute */
export function createFailureLimit(
  maxFailures: number,
  maxKeys = 50_000,
  now = () => performance.now(),
): FailureLimit {
  const windows = createBoundedCache<string, { failures: number; endsAtMs: number }>(maxKeys)
  return {
    pauseSeconds(key) {
      const window = windows.get(key)
      if (!window || window.failures < maxFailures) return 0
      return Math.max(0, window.endsAtMs - now()) / 1000
    },
    note(key) {
      const window = windows.get(key)
      if (window && window.endsAtMs > now()) window.failures++
      else windows.set(key, { failures: 1, endsAtMs: now() + WINDOW_MS })
    },
  }
}
