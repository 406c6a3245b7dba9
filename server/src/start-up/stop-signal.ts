import type { Logger } from 'pino'

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
      resolve(signal)
    }
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  })
}
