/** One simulated device under a firmware update: a step is desired of it, takes its time, and ends as it was decided. */
import { isDeepStrictEqual } from 'node:util'
import type { Properties } from '../../providers/twin/merge-patch.ts'

export interface FirmwareRules {
  /** Desired properties that a deployment sets. */
  stepNames: string[]
  /** The reported property that ends a step. */
  statusProperty: string
  success: unknown
  /** Undefined where no device fails. */
  failure: unknown
  durationMs: number
  offlineMs: number
  failurePercent: number
  offlinePercent: number
}

export type FirmwareOutcome = 'success' | 'failure' | 'offline'

/** The first devices fail, the next ones go offline, all others succeed: the shares are exact, and known beforehand. */
export function chooseOutcome(place: number, count: number, rules: FirmwareRules): FirmwareOutcome {
  const failing = Math.round((count * rules.failurePercent) / 100)
  if (place < failing) return 'failure'
  return place < Math.round((count * (rules.failurePercent + rules.offlinePercent)) / 100)
    ? 'offline'
    : 'success'
}

export interface PlayOptions {
  rules: FirmwareRules
  outcome: FirmwareOutcome
  /** Calls back once it is acknowledged; what finds no connection is dropped. */
  report(properties: Properties, onAcknowledged: () => void): void
  /** Disconnects for a while. */
  leave(forMs: number): void
  /** Aborts when the device is no more. */
  signal: AbortSignal
}

export interface UpdatePlayer {
  /** With each desired state, and so with each connection. */
  desired(state: Properties): void
}

export function createUpdatePlayer({ rules, outcome, report, leave, signal }: PlayOptions): UpdatePlayer {
  const timers = new Map<string, NodeJS.Timeout>()
  /** The status that is not acknowledged yet. */
  let unsaid: Properties | undefined
  let known: Properties = {}
  let hasLeft = false
  signal.addEventListener('abort', () => timers.forEach((timer) => clearTimeout(timer)), { once: true })

  function say(status: unknown, onAcknowledged = () => {}) {
    const said = { [rules.statusProperty]: status }
    unsaid = said
    report(said, () => {
      if (unsaid === said) unsaid = undefined
      onAcknowledged()
    })
  }

  function play(step: string) {
    const leaves = outcome === 'offline' && !hasLeft
    hasLeft ||= leaves
    // A status from before says nothing of this step: another one has to come first.
    say('Downloading', () => {
      if (leaves) leave(rules.offlineMs)
    })
    const end = () => say(outcome === 'failure' ? rules.failure : rules.success)
    timers.set(step, setTimeout(end, rules.durationMs + (leaves ? rules.offlineMs : 0)))
  }

  return {
    desired(state) {
      const before = known
      known = Object.fromEntries(rules.stepNames.map((name) => [name, state[name]]))
      const changed = rules.stepNames.filter((name) => !isDeepStrictEqual(before[name], known[name]))
      for (const name of changed) {
        clearTimeout(timers.get(name))
        if (known[name] !== undefined) play(name)
      }
      // It came about while there was no connection.
      if (changed.length === 0 && unsaid) say(unsaid[rules.statusProperty])
    },
  }
}
