/** Counts failures per key in memory, in windows of one minute. The number of keys is bounded; unused keys go first. */
import { createBoundedCache } from '../lib/bounded-cache.ts'

const WINDOW_MS = 60_000

export interface FailureLimit {
  /** How long requests of the key are refused from now on; 0 while they are allowed. */
  pauseSeconds(key: string): number
  recordFailure(key: string): void
}

/** @param maxFailures per key and minute */
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
    recordFailure(key) {
      const window = windows.get(key)
      if (window && window.endsAtMs > now()) window.failures++
      else windows.set(key, { failures: 1, endsAtMs: now() + WINDOW_MS })
    },
  }
}
