import type { Logger } from 'pino'
import type { Subscription } from './transport.ts'

/** Lets subscriptions read from the database what they may have missed. */
export interface Reconciliation {
  /** Starts a round, now or when it is due: after the one that is running and a pause. */
  request(): void
  /** Called regularly: starts a round that has waited until now, or that failed. */
  startDue(): void
}

export function createReconciliation(
  subscriptions: ReadonlyMap<string, Subscription>,
  log: Logger,
  pauseMs: number,
): Reconciliation {
  let isNeeded = false
  let isRunning = false
  let earliestMs = 0
  const run = async () => {
    isRunning = true
    isNeeded = false
    for (const { onReconnect } of subscriptions.values()) await onReconnect()
  }
  const startDue = () => {
    if (!isNeeded || isRunning || performance.now() < earliestMs) return
    run()
      .catch((error: Error) => {
        isNeeded = true
        log.warn({ reason: error.message }, 'what other nodes changed cannot be read yet')
      })
      .finally(() => {
        isRunning = false
        earliestMs = performance.now() + pauseMs
      })
  }
  return {
    startDue,
    request() {
      isNeeded = true
      startDue()
    },
  }
}
