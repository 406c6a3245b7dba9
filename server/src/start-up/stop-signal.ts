import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { StoppedError } from '../lib/unless-stopped.ts'

export interface StopSignal {
  /** Resolves at the first SIGINT or SIGTERM. */
  requested: Promise<NodeJS.Signals>
  /** Aborts a start that is still waiting. */
  abort: AbortSignal
}

/** The signals of one stop may arrive twice: in a terminal npm forwards the signal that the process group received already. */
const SAME_STOP_MS = 1000
/** Kubernetes kills after 30 s. Each part has a shorter limit of its own; this one applies, after the drain, if something hangs. */
const STOP_WITHIN_MS = 25_000

/** A second signal ends the process at once. */
export function stopSignal(log: Logger, { drainSeconds }: Pick<Config, 'drainSeconds'>): StopSignal {
  const withinMs = STOP_WITHIN_MS + drainSeconds * 1000
  const stopping = new AbortController()
  const requested = new Promise<NodeJS.Signals>((resolve) => {
    let stoppedAtMs: number | undefined
    const onSignal = (signal: NodeJS.Signals) => {
      const nowMs = performance.now()
      stoppedAtMs ??= nowMs
      if (nowMs - stoppedAtMs > SAME_STOP_MS) {
        log.warn({ signal }, 'second signal, exiting at once')
        process.exit(1)
      }
      if (!stopping.signal.aborted) setTimeout(() => exitAtOnce(log, withinMs), withinMs).unref()
      stopping.abort(new StoppedError(`stopped by ${signal}`))
      resolve(signal)
    }
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  })
  return { requested, abort: stopping.signal }
}

/** Loses no data: acknowledged messages are stored, and an embedded PostgreSQL stops when its parent process is gone. */
function exitAtOnce(log: Logger, withinMs: number): never {
  log.error({ seconds: withinMs / 1000 }, 'stopping takes too long, exiting at once')
  process.exit(1)
}
