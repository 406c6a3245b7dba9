/** Equal attempts of a device in a row: same kind, outcome, address, group and steps. */
import { isDeviceId } from '../../http/page.ts'
import { newId } from '../../lib/ids.ts'
import type { Attempt, AttemptStep } from './attempt.ts'

const MAX_ID_LENGTH = 128
const MAX_MESSAGE_LENGTH = 500

export interface AttemptRun {
  id: string
  /** The latest attempt. */
  last: Attempt
  firstAt: Date
  /** Attempts that are not stored yet. */
  unwritten: number
  isStored: boolean
}

export const startRun = (attempt: Attempt): AttemptRun => ({
  id: newId(),
  last: { ...attempt, steps: attempt.steps.map(cleanStep) },
  firstAt: attempt.startedAt,
  unwritten: 1,
  isStored: false,
})

/** @returns whether the attempt is equal to those of the run */
export function addAttempt(run: AttemptRun, attempt: Attempt): boolean {
  const { last } = run
  const isEqual =
    last.outcome === attempt.outcome &&
    last.address === attempt.address &&
    last.groupId === attempt.groupId &&
    last.isProven === attempt.isProven &&
    last.steps.length === attempt.steps.length &&
    last.steps.every(({ code }, index) => code === attempt.steps[index]!.code)
  if (!isEqual) return false
  last.startedAt = attempt.startedAt
  last.durationMs = attempt.durationMs
  if (attempt.steps.some(({ message }) => message !== undefined)) last.steps = attempt.steps.map(cleanStep)
  run.unwritten++
  return true
}

/** Unauthenticated clients can send any text as their id. */
export const cleanDeviceId = (text: string): string =>
  copy(isDeviceId(text) ? text : clean(text, MAX_ID_LENGTH))

const cleanStep = (step: AttemptStep): AttemptStep =>
  step.message === undefined ? step : { ...step, message: clean(step.message, MAX_MESSAGE_LENGTH) }

const clean = (text: string, maxLength: number) =>
  text.slice(0, maxLength).replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '\uFFFD')

/** A part of a string would keep the whole in memory. */
const copy = (text: string) => Buffer.from(text).toString()
