/** What a reported status means for an update, by its template's map. Whoever reports it, and however often. */
import { isDeepStrictEqual } from 'node:util'
import type { StatusMap, StatusRule, UpdateLog, UpdateState } from '../../database/tables/firmware.ts'
import { makeLog, withLog } from './logs.ts'
import { nextState, type UpdateEvent } from './states.ts'

export interface Judged {
  state: UpdateState
  currentStep: number
  /** The next step is to be set. */
  stepDue: boolean
  statusBefore: unknown
  statusValue: unknown
  logs: UpdateLog[]
}

interface Rule {
  status: StatusRule
  /** How many steps there are. */
  steps: number
  /** Of the file that the update brings. */
  sha256: string | null
}

const lists = [
  ['successStatuses', 'succeeded'],
  ['failureStatuses', 'failed'],
  ['rejectStatuses', 'rejected'],
  ['cancelStatuses', 'cancelledByDevice'],
] as const satisfies [keyof StatusMap, UpdateEvent][]

const levels: Partial<Record<UpdateEvent, UpdateLog['level']>> = {
  failed: 'Error',
  rejected: 'Error',
  cancelledByDevice: 'Warning',
}

/**
 * @param value of the status property after a report that named it; undefined where the report removed it
 * @returns the update after it; the very same where nothing changed
 */
export function judge<T extends Judged>(update: T, { status, steps, sha256 }: Rule, value: unknown): T {
  // The step before may be reported again until the next one is set.
  if (update.state !== 'Running' || update.stepDue) return update
  if (value === undefined) return { ...update, statusBefore: null }
  // A device that comes back tells all it has: what it said before the step says nothing about the step.
  if (update.statusBefore !== null && isDeepStrictEqual(value, update.statusBefore))
    return noted(update, 'Info', `The device repeats what it said before: ${shortened(value)}.`)
  if (isDeepStrictEqual(value, update.statusValue)) return update
  // What a device says late of an order before is no answer to this one.
  if (isOfAnotherFile(value, sha256))
    return noted(update, 'Info', `The device speaks of another file: ${shortened(value)}.`)
  return moved({ ...update, statusBefore: null, statusValue: value }, update.statusValue, status, steps)
}

function moved<T extends Judged>(
  update: T,
  valueBefore: unknown,
  { statusMap }: StatusRule,
  steps: number,
): T {
  const value = update.statusValue
  const event = lists.find(([list]) => statusMap[list].some((entry) => isSaid(value, entry.value)))?.[1]
  if (!event) {
    // Progress in numbers is the status value's to show; its log has the words.
    if (isDeepStrictEqual(readWord(value), readWord(valueBefore))) return update
    return noted(update, 'Info', `The device reports ${shortened(value)}.`)
  }
  const isLast = update.currentStep >= steps
  const happened: UpdateEvent = event === 'succeeded' && !isLast ? 'stepSucceeded' : event
  const after = noted(update, levels[event] ?? 'Info', `The device reports ${shortened(value)}: ${happened}.`)
  const stepDue = happened === 'stepSucceeded'
  return { ...after, state: nextState(update.state, happened)!, stepDue }
}

/** The value itself, or where it is an object its `status`. */
const isSaid = (value: unknown, known: unknown) =>
  isDeepStrictEqual(value, known) || isDeepStrictEqual(readWord(value), known)

const isOfAnotherFile = (value: unknown, sha256: string | null) =>
  sha256 !== null &&
  typeof value === 'object' &&
  value !== null &&
  'sha256' in value &&
  typeof value.sha256 === 'string' &&
  value.sha256.toLowerCase() !== sha256

const readWord = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'status' in value ? value.status : value

const noted = <T extends Judged>(update: T, level: UpdateLog['level'], message: string): T => ({
  ...update,
  logs: withLog(update.logs, makeLog(level, message, update.currentStep)),
})

const shortened = (value: unknown) => {
  const text = JSON.stringify(value)
  return text.length > 500 ? `${text.slice(0, 500).toWellFormed()}…` : text
}
