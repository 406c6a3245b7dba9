import type { Logger } from 'pino'

/** Kubernetes kills after 30 s. Each part has a shorter time of its own; this holds whatever hangs. */
const STOP_WITHIN_MS = 25_000

/** Resolves at the first SIGINT or SIGTERM. A second one ends the process at once: somebody does not want to wait. */
export function stopSignal(log: Logger): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let stopping = false
    const onSignal = (signal: NodeJS.Signals) => {
      if (stopping) {
        log.warn({ signal }, 'stopped at once')
        process.exit(1)
      }
      stopping = true
      setTimeout(() => giveUp(log), STOP_WITHIN_MS).unref()
      resolve(signal)
    }
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  })
}

/** What was acknowledged is stored. An embedded PostgreSQL sees that we are gone, and stops by itself. */
function giveUp(log: Logger): never {
  log.error({ seconds: STOP_WITHIN_MS / 1000 }, 'stopping takes too long, ended at once')
  process.exit(1)
}
