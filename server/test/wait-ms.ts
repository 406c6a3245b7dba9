/** How long a test waits for something that has to happen. Vitest's second is too short on a busy machine. */
export const WAIT_MS = 30_000
