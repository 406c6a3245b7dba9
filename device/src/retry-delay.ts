import { backOffCeilingMs, fullJitterMs } from './back-off.ts'
import type { Clock } from './clock.ts'

/**
 * The wait before the next request, in milliseconds: the back-off, and never less than the server asked for.
 *
 * @param attempt counted from 1
 */
export function retryDelayMs(retryAfterMs: number | null, attempt: number, clock: Clock): number {
  const ownMs = fullJitterMs(backOffCeilingMs(attempt), clock.random())
  if (retryAfterMs === null) return ownMs
  // Jitter: devices that were refused at the same time must not retry at the same time.
  return Math.max(ownMs, Math.round(retryAfterMs * (1 + clock.random() / 10)))
}
