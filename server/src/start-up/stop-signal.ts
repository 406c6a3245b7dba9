import type { Logger } from 'pino'
import { StoppedError } from '../lib/unless-stopped.ts'

/** Kubernetes kills after 30 s. Each part has a shorter time of its own; this holds whatever hangs. */
const STOP_WITHIN_MS = 25_000

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
      setTimeout(() => giveUp(log), STOP_WITHIN_MS).unref()
      stopping.abort(new StoppedError(`stopped by ${signal}`))
      resolve(signal)
    }
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  })
  return { requested, abort: stopping.signal }
}

/** What was acknowledged is stored. An embedded PostgreSQL sees that we are gone, and stops by itself. */
function giveUp(log: Logger): never {
  log.error({ seconds: STOP_WITHIN_MS / 1000 }, 'stopping takes too long, ended at once')
  process.exit(1)
}
