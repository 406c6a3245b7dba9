import { useState } from 'react'

const SOON_MS = 2000
const LATER_MS = 10_000
const SOON_FOR_MS = 40_000

/**
 * Intervals for what is not pushed: short ones after the page was opened or something was asked for, then long ones, within
 * the requests of an account.
 */
export function usePolling() {
  const [sinceMs, setSinceMs] = useState(Date.now)
  return {
    chooseIntervalMs: () => (Date.now() - sinceMs < SOON_FOR_MS ? SOON_MS : LATER_MS),
    restart: () => setSinceMs(Date.now()),
  }
}
