/** How long a caller waits for an unavailable database. */
const PATIENCE_MS = 30_000

/** @param sinceMs of `performance.now()` @returns the rest of the time that a caller waits who began to wait then */
export const patienceSince = (sinceMs: number): number => PATIENCE_MS - (performance.now() - sinceMs)
