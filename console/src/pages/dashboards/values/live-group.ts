/** Adds live values to the histories up to now. */
import { addEvent, type LiveValue, mayLackValues } from '../../explore/live-samples.ts'
import type { SignalSamples } from '../../explore/query-signals.ts'
import { formatSignal } from '../../explore/signal.ts'
import { readGroupKey, spanMs, takesLiveValues } from './history.ts'

/** Length of the time that a group shows; undefined for one that takes no live values. */
export function readLiveMs(groupKey: string): number | undefined {
  const asked = readGroupKey(groupKey)
  return takesLiveValues(asked) && asked.timeRange.kind === 'last' ? spanMs(asked.timeRange) : undefined
}

/**
 * Values follow the last bucket one by one until the buckets are read again.
 *
 * @returns whether values may be missing, so that the samples have to be read again
 */
export function addValues(
  samples: ReadonlyMap<string, SignalSamples>,
  values: readonly LiveValue[],
  lengthMs: number,
): boolean {
  let isLacking = false
  for (const value of values) {
    const found = samples.get(formatSignal(value.event))
    if (found === undefined || Date.parse(value.event.time) < Date.now() - lengthMs) continue
    if (mayLackValues(found, value, lengthMs)) isLacking = true
    addEvent(found.samples, value.event, lengthMs)
  }
  return isLacking
}

/** By the id of the signal. Each live value looks up its signal, so the index of an answer is made once. */
export function indexSamples(read: SignalSamples[]): ReadonlyMap<string, SignalSamples> {
  const known = indexes.get(read) ?? new Map(read.map((one) => [one.signal.id, one]))
  indexes.set(read, known)
  return known
}

const indexes = new WeakMap<SignalSamples[], ReadonlyMap<string, SignalSamples>>()
