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

interface State extends UpdatePlayerOptions {
  readonly timers: Map<string, NodeJS.Timeout>
  /** The last status while it is not acknowledged. */
  unacknowledged: Properties | undefined
  desired: Properties
  hasDisconnected: boolean
}

export function createUpdatePlayer(options: UpdatePlayerOptions): UpdatePlayer {
  const player: State = {
    ...options,
    timers: new Map(),
    unacknowledged: undefined,
    desired: {},
    hasDisconnected: false,
  }
  const stop = () => player.timers.forEach((timer) => clearTimeout(timer))
  options.signal.addEventListener('abort', stop, { once: true })
  return { applyDesired: (state) => applyDesired(player, state) }
}

function applyDesired(player: State, state: Properties) {
  const { stepNames, statusProperty } = player.rules
  const before = player.desired
  const desired = Object.fromEntries(stepNames.map((name) => [name, state[name]]))
  player.desired = desired
  const changed = stepNames.filter((name) => !isDeepStrictEqual(before[name], desired[name]))
  for (const name of changed) {
    clearTimeout(player.timers.get(name))
    if (desired[name] !== undefined) playStep(player, name)
  }
  // The status was reported while there was no connection.
  if (changed.length === 0 && player.unacknowledged)
    reportStatus(player, player.unacknowledged[statusProperty])
}

function playStep(player: State, step: string) {
  const { rules, outcome, timers } = player
  const disconnects = outcome === 'offline' && !player.hasDisconnected
  player.hasDisconnected ||= disconnects
  // The final status of an earlier step must not count for this one, so another status is reported first.
  reportStatus(player, 'Downloading', () => {
    if (disconnects) player.disconnect(rules.offlineMs)
  })
  const end = () => reportStatus(player, outcome === 'failure' ? rules.failure : rules.success)
  timers.set(step, setTimeout(end, rules.durationMs + (disconnects ? rules.offlineMs : 0)))
}

function reportStatus(player: State, status: unknown, onAcknowledged = () => {}) {
  const properties = { [player.rules.statusProperty]: status }
  player.unacknowledged = properties
  player.report(properties, () => {
    if (player.unacknowledged === properties) player.unacknowledged = undefined
    onAcknowledged()
  })
}
