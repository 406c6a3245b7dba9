/**
 * A circuit breaker for a provider that devices wait for, in the memory of this node. The circuits of receivers
 * (`jobs/circuits.ts`) are in the database, which costs a statement for each failure.
 */
const FAILURES_UNTIL_PAUSE = 3
const PAUSE_MS = 5000

export interface Circuit {
  /** `try`: the provider is paused, and this call finds out whether it is back. */
  next(): 'ask' | 'try' | 'pause'
  recordAnswer(): void
  /** The provider does not answer, or says that it cannot. */
  recordFailure(): void
  /** The provider takes longer than its budget. */
  recordLateness(): void
  recordLateAnswer(): void
  /** Whether the last failure was more than lateness. */
  isAway(): boolean
}

export function createCircuit(now = () => performance.now()): Circuit {
  let failures = 0
  let retryAtMs = 0
  let isAway = false
  const pauseAfterFailures = () => {
    failures++
    retryAtMs = now() + PAUSE_MS
  }
  return {
    next() {
      if (failures < FAILURES_UNTIL_PAUSE) return 'ask'
      if (now() < retryAtMs) return 'pause'
      retryAtMs = now() + PAUSE_MS
      return 'try'
    },
    recordAnswer() {
      failures = 0
      isAway = false
    },
    recordFailure() {
      pauseAfterFailures()
      isAway = true
    },
    recordLateness: pauseAfterFailures,
    recordLateAnswer() {
      isAway = false
    },
    isAway: () => isAway,
  }
}
