// Longer waits are errors of the server, and a timer of more than 24.8 days would fire at once.
const LONGEST_MS = 60 * 60 * 1_000

/**
 * The wait that a `Retry-After` header asks for, in milliseconds, at most an hour; null without a readable header.
 *
 * @param header seconds or an HTTP date
 * @param nowMs the wall clock, for the date form
 */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  const text = header?.trim()
  if (!text) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs
  if (Number.isNaN(ms)) return null
  return Math.min(LONGEST_MS, Math.max(0, ms))
}
