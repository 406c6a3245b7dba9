/** Interprets a reported status by the status map of the deployment template. Repeated reports have no further effect. */
import { isDeepStrictEqual } from 'node:util'
import type { StatusMap, StatusRule, UpdateLog, UpdateState } from '../../database/tables/firmware.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { makeLog, appendLog } from './logs.ts'
import { nextState, type UpdateEvent } from './states.ts'

export interface InterpretedUpdate {
  state: UpdateState
  currentStep: number
  /** Whether the next step must be set. */
  stepDue: boolean
  statusBefore: unknown
  statusValue: unknown
  logs: UpdateLog[]
}

interface InterpretationRule {
  status: StatusRule
  /** The number of steps. */
  steps: number
  /** The hash of the update's file. */
  sha256: string | null
}

const statusEvents = [
  ['successStatuses', 'succeeded'],
  ['failureStatuses', 'failed'],
  ['rejectStatuses', 'rejected'],
  ['cancelStatuses', 'cancelledByDevice'],
] as const satisfies [keyof StatusMap, UpdateEvent][]

const logLevels: Partial<Record<UpdateEvent, UpdateLog['level']>> = {
  failed: 'Error',
  rejected: 'Error',
  cancelledByDevice: 'Warning',
}

/**
 * @param value the value of the status property after a report that contained it; undefined if the report removed it
 * @returns the changed update, or the same object if nothing changed
 */
export function interpretStatus<T extends InterpretedUpdate>(
  update: T,
  { status, steps, sha256 }: InterpretationRule,
  value: unknown,
): T {
  // Until the next step is set, the device may repeat the status of the previous step.
  if (update.state !== 'Running' || update.stepDue) return update
  if (value === undefined) return { ...update, statusBefore: null }
  // A device that reconnects reports all its properties. A status from before the step is not a result of the step.
  if (update.statusBefore !== null && isDeepStrictEqual(value, update.statusBefore))
    return addLog(update, 'Info', `The device repeats an earlier status: ${shortenJson(value)}.`)
  if (isDeepStrictEqual(value, update.statusValue)) return update
  // A late report about an earlier update does not concern this one.
  if (isAboutAnotherFile(value, sha256))
    return addLog(update, 'Info', `The device reports a status of another file: ${shortenJson(value)}.`)
  return applyStatus({ ...update, statusBefore: null, statusValue: value }, update.statusValue, status, steps)
}

function applyStatus<T extends InterpretedUpdate>(
  update: T,
  valueBefore: unknown,
  { statusMap }: StatusRule,
  steps: number,
): T {
  const value = update.statusValue
  const event = findEvent(statusMap, value)
  if (!event) {
    // Numeric progress is visible in the status value, so only a new status word is logged.
    if (isDeepStrictEqual(readStatus(value), readStatus(valueBefore))) return update
    return addLog(update, 'Info', `The device reports ${shortenJson(value)}.`)
  }
  const isLast = update.currentStep >= steps
  const outcome: UpdateEvent = event === 'succeeded' && !isLast ? 'stepSucceeded' : event
  const after = addLog(
    update,
    logLevels[event] ?? 'Info',
    `The device reports ${shortenJson(value)}: ${outcome}.`,
  )
  const stepDue = outcome === 'stepSucceeded'
  return { ...after, state: nextState(update.state, outcome)!, stepDue }
}

/** Finds the event of the value itself or of its `status` if it is an object; of both, the one that is earlier in `statusEvents`. */
function findEvent(statusMap: StatusMap, value: unknown): UpdateEvent | undefined {
  const events = indexEvents(statusMap)
  const found = [value, readStatus(value)].map((known) => events.get(canonicalJson(known)))
  return statusEvents.find(([, event]) => found.includes(event))?.[1]
}

/** A fleet may report often, and comparing each report with hundreds of large values would take long. */
const eventIndexes = new WeakMap<StatusMap, Map<string, UpdateEvent>>()

function indexEvents(statusMap: StatusMap): Map<string, UpdateEvent> {
  const known = eventIndexes.get(statusMap)
  if (known) return known
  const events = new Map<string, UpdateEvent>()
  for (const [list, event] of statusEvents)
    for (const { value } of statusMap[list]) {
      const key = canonicalJson(value)
      if (!events.has(key)) events.set(key, event)
    }
  eventIndexes.set(statusMap, events)
  return events
}

const isAboutAnotherFile = (value: unknown, sha256: string | null) =>
  sha256 !== null &&
  typeof value === 'object' &&
  value !== null &&
  'sha256' in value &&
  typeof value.sha256 === 'string' &&
  value.sha256.toLowerCase() !== sha256

const readStatus = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'status' in value ? value.status : value

const addLog = <T extends InterpretedUpdate>(update: T, level: UpdateLog['level'], message: string): T => ({
  ...update,
  logs: appendLog(update.logs, makeLog(level, message, update.currentStep)),
})

const shortenJson = (value: unknown) => {
  const text = JSON.stringify(value)
  return text.length > 500 ? `${text.slice(0, 500).toWellFormed()}…` : text
}
