/** Adds live values to samples that were read. */
import type { TelemetryEvent } from '@gangway/client'
import { addSample, dropUnshown, findState, type Samples } from '../../charts/samples/samples.ts'
import type { SignalSamples } from './query-signals.ts'
import { writeState } from './read-samples.ts'

export interface LiveValue {
  event: TelemetryEvent
  /** Whether it is the last known value, with which a subscription begins. */
  isFirst: boolean
}

/**
 * @param lengthMs the time that is shown, before which samples are dropped
 * @returns false if values have changed between numbers and states, so that they have to be read again
 */
export function addEvent(samples: Samples, { time, value }: TelemetryEvent, lengthMs: number): boolean {
  if (value === null) return true
  const at = Date.parse(time)
  const isNumber = typeof value === 'number'
  if (samples.length > 0 && isNumber !== (samples.states === null)) return false
  if (!isNumber) addSample(samples, at, findState(samples, writeState(value)))
  else if (samples.states === null) addSample(samples, at, value)
  else return false
  dropUnshown(samples, lengthMs)
  return true
}

/**
 * Whether values between the samples and a live value may be missing: those that were stored after the samples were
 * read and before the subscription began. The last known value is the newest of them.
 */
export function mayLackValues(
  { samples, bucketMs }: SignalSamples,
  { event, isFirst }: LiveValue,
  lengthMs: number,
): boolean {
  if (!isFirst || bucketMs !== undefined || event.value === null) return false
  const at = Date.parse(event.time)
  const isShown = at >= Date.now() - lengthMs
  return isShown && (samples.length === 0 || samples.times[samples.length - 1]! < at)
}

/** @returns whether the samples have to be read again for the value */
export function applyValue(found: SignalSamples, live: LiveValue, lengthMs: number): boolean {
  if (found.bucketMs !== undefined) return true
  const isLacking = mayLackValues(found, live, lengthMs)
  return !addEvent(found.samples, live.event, lengthMs) || isLacking
}
