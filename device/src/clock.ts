import { setTimeout as delay } from 'node:timers/promises'

/** Time and random numbers of the device. Injected, so that tests are fast and deterministic. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. It may jump when the device's clock is set. */
  now(): number
  /** Milliseconds since some fixed moment; never jumps, so durations are measured with it. */
  monotonicMs(): number
  /** In [0, 1). */
  random(): number
  /** Resolves after `ms`, or as soon as `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
}
