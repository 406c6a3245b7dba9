/**
 * Maximum time for an expected event in a test. It is so long that only a hanging process reaches it, even on a busy
 * machine.
 */
export const WAIT_MS = 120_000
