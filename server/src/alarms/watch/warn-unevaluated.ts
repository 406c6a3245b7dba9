/** Logs alarms whose conditions took too much work, at most one line a minute. */
import type { Logger } from 'pino'
import type { Unevaluated } from './shares.ts'

const PAUSE_MS = 60_000

export function createUnevaluatedWarning(log: Logger, now = Date.now): (unevaluated: Unevaluated[]) => void {
  let untilMs = 0
  let since = 0
  return (unevaluated) => {
    if (unevaluated.length === 0) return
    since += unevaluated.length
    if (now() < untilMs) return
    log.warn(
      { ...unevaluated[0], count: since },
      'an alarm was not evaluated: the conditions over what arrived take too much work; make lists, texts or the conditions shorter, or use fewer alarms',
    )
    untilMs = now() + PAUSE_MS
    since = 0
  }
}
