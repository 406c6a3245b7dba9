/** Plays firmware updates on one simulated device: a step starts with its desired property and ends after a delay with the chosen outcome. */
import { isDeepStrictEqual } from 'node:util'
import type { Properties } from '../../providers/twin/merge-patch.ts'

export interface FirmwareRules {
  /** Desired properties that a deployment sets. */
  stepNames: string[]
  /** The reported property that ends a step. */
  statusProperty: string
  success: unknown
  /** Undefined if no device fails. */
  failure: unknown
  durationMs: number
  offlineMs: number
  failurePercent: number
  offlinePercent: number
}

export type FirmwareOutcome = 'success' | 'failure' | 'offline'

/** The first devices fail, the next ones go offline and all others succeed, so that the shares are exact and predictable. */
export function chooseOutcome(index: number, count: number, rules: FirmwareRules): FirmwareOutcome {
  const failing = Math.round((count * rules.failurePercent) / 100)
  if (index < failing) return 'failure'
  return index < Math.round((count * (rules.failurePercent + rules.offlinePercent)) / 100)
    ? 'offline'
    : 'success'
}

export interface UpdatePlayerOptions {
  rules: FirmwareRules
  outcome: FirmwareOutcome
  /** Calls back once the message is acknowledged; without a connection it is dropped. */
  report(properties: Properties, onAcknowledged: () => void): void
  /** Disconnects for the given time. */
  disconnect(forMs: number): void
  /** Aborts when the device is closed. */
  signal: AbortSignal
}

export interface UpdatePlayer {
  /** Called with each desired state, thus also at each connection. */
  applyDesired(state: Properties): void
}

export function createUpdatePlayer({
  rules,
  outcome,
  report,
  disconnect,
  signal,
}: UpdatePlayerOptions): UpdatePlayer {
  const timers = new Map<string, NodeJS.Timeout>()
  /** The last status while it is not acknowledged. */
  let unacknowledged: Properties | undefined
  let desired: Properties = {}
  let hasDisconnected = false
  signal.addEventListener('abort', () => timers.forEach((timer) => clearTimeout(timer)), { once: true })

  function reportStatus(status: unknown, onAcknowledged = () => {}) {
    const properties = { [rules.statusProperty]: status }
    unacknowledged = properties
    report(properties, () => {
      if (unacknowledged === properties) unacknowledged = undefined
      onAcknowledged()
    })
  }

  function play(step: string) {
    const disconnects = outcome === 'offline' && !hasDisconnected
    hasDisconnected ||= disconnects
    // The final status of an earlier step must not count for this one, so another status is reported first.
    reportStatus('Downloading', () => {
      if (disconnects) disconnect(rules.offlineMs)
    })
    const end = () => reportStatus(outcome === 'failure' ? rules.failure : rules.success)
    timers.set(step, setTimeout(end, rules.durationMs + (disconnects ? rules.offlineMs : 0)))
  }

  return {
    applyDesired(state) {
      const before = desired
      desired = Object.fromEntries(rules.stepNames.map((name) => [name, state[name]]))
      const changed = rules.stepNames.filter((name) => !isDeepStrictEqual(before[name], desired[name]))
      for (const name of changed) {
        clearTimeout(timers.get(name))
        if (desired[name] !== undefined) play(name)
      }
      // The status was reported while there was no connection.
      if (changed.length === 0 && unacknowledged) reportStatus(unacknowledged[rules.statusProperty])
    },
  }
}
