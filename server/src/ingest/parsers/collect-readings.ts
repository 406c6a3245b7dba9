/** Collects the single signals of a payload into readings, one for each time. */
import { checkName } from '../json-object.ts'
import { UnreadableError } from '../unreadable.ts'
import type { Reading } from './parser.ts'

/** Maximum number of signals of one message. */
export const MAX_SIGNALS = 10_000

export interface When {
  timeMs?: number | undefined
  ageMs?: number
}

export interface Collector {
  /**
   * @throws UnreadableError for an invalid name, one signal too many, or a signal that already has a value at that time
   */
  add(name: string, value: unknown, when?: When, unit?: string): void
  readings: Reading[]
}

export function collectReadings(): Collector {
  const readings: Reading[] = []
  const byTime = new Map<string, { reading: Reading; seen: Set<string> }>()
  let count = 0

  function at({ timeMs, ageMs = 0 }: When) {
    const key = timeMs === undefined ? `arrival ${ageMs}` : `${timeMs}`
    let found = byTime.get(key)
    if (!found) {
      const time = timeMs === undefined && ageMs !== 0 ? { timeMs, ageMs } : { timeMs }
      found = { reading: { ...time, names: [], values: [], units: [] }, seen: new Set() }
      byTime.set(key, found)
      readings.push(found.reading)
    }
    return found
  }

  return {
    readings,
    add(name, value, when = {}, unit) {
      if (count++ === MAX_SIGNALS) throw tooManySignals()
      checkName(name)
      const { reading, seen } = at(when)
      // A sample is identified by its series and time: one of the two would be lost silently.
      if (seen.has(name))
        throw new UnreadableError(
          'repeated_signal',
          `${name} is there twice for one time, to the millisecond.`,
        )
      seen.add(name)
      reading.names.push(name)
      reading.values.push(value)
      reading.units!.push(unit)
    },
  }
}

export const tooManySignals = () =>
  new UnreadableError('too_many_signals', `A message carries up to ${MAX_SIGNALS} signals. Divide it.`)
