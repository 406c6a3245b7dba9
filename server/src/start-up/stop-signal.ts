import type { Logger } from 'pino'
import { StoppedError } from '../lib/unless-stopped.ts'

export interface StopSignal {
  /** Resolves at the first SIGINT or SIGTERM. */
  requested: Promise<NodeJS.Signals>
  /** Cuts a start short that still waits for something. */
  abort: AbortSignal
}

/** One stop may arrive twice: in a terminal, and where a process group is stopped, npm passes on what we got already. */
const SAME_STOP_MS = 1000

/** A second signal ends the process at once: somebody does not want to wait. */
export function stopSignal(log: Logger): StopSignal {
  const stopping = new AbortController()
  const requested = new Promise<NodeJS.Signals>((resolve) => {
    let stoppedAtMs: number | undefined
    const onSignal = (signal: NodeJS.Signals) => {
      const nowMs = performance.now()
      stoppedAtMs ??= nowMs
      if (nowMs - stoppedAtMs > SAME_STOP_MS) {
        log.warn({ signal }, 'stopped at once')
        process.exit(1)
      }
      stopping.abort(new StoppedError(`stopped by ${signal}`))
      resolve(signal)
    }
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  })
  return { requested, abort: stopping.signal }
}
