import type { Logger } from 'pino'
import type { Subscription } from './transport.ts'

/** Lets subscriptions read from the database what they may have missed. */
export interface Reconciliation {
  /** Starts, or starts once more after the one that is running. */
  request(): void
  /** Starts again if the last one failed. */
  retry(): void
}

export function createReconciliation(
  subscriptions: ReadonlyMap<string, Subscription>,
  log: Logger,
): Reconciliation {
  let isNeeded = false
  let isRunning = false
  const run = async () => {
    isRunning = true
    while (isNeeded) {
      isNeeded = false
      for (const { onReconnect } of subscriptions.values()) await onReconnect()
    }
  }
  const retry = () => {
    if (!isNeeded || isRunning) return
    run()
      .catch((error: Error) => {
        isNeeded = true
        log.warn({ reason: error.message }, 'what other nodes changed cannot be read yet')
      })
      .finally(() => (isRunning = false))
  }
  return {
    retry,
    request() {
      isNeeded = true
      retry()
    },
  }
}
