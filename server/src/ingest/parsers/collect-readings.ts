/** Collects the single signals of a payload into readings, one for each time. */
import { checkName } from '../json-object.ts'
import { UnreadableError } from '../unreadable.ts'
import { MAX_SIGNALS, tooManySignals } from '../signal-limit.ts'
import type { Reading } from './parser.ts'

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

interface Collected {
  reading: Reading
  /** Absent until there is a second name, since most readings of a long list have only one. */
  seen?: Set<string>
}

export function collectReadings(): Collector {
  const readings: Reading[] = []
  const byTime = new Map<number, Collected>()
  const byAge = new Map<number, Collected>()
  let count = 0

  function at({ timeMs, ageMs = 0 }: When): Collected {
    const found = timeMs === undefined ? byAge.get(ageMs) : byTime.get(timeMs)
    if (found) return found
    const reading: Reading = { timeMs, names: [], values: [], units: [] }
    if (timeMs === undefined && ageMs !== 0) reading.ageMs = ageMs
    readings.push(reading)
    const collected = { reading }
    if (timeMs === undefined) byAge.set(ageMs, collected)
    else byTime.set(timeMs, collected)
    return collected
  }

  return {
    readings,
    add(name, value, when = {}, unit) {
      if (count++ === MAX_SIGNALS) throw tooManySignals()
      checkName(name)
      const collected = at(when)
      const { names, values, units } = collected.reading
      if (names.length > 0) addSeen(collected, name)
      names.push(name)
      values.push(value)
      units!.push(unit)
    },
  }
}

function addSeen(collected: Collected, name: string): void {
  collected.seen ??= new Set(collected.reading.names)
  // A sample is identified by its series and time: one of the two would be lost silently.
  if (collected.seen.has(name))
    throw new UnreadableError('repeated_signal', `${name} is there twice for one time, to the millisecond.`)
  collected.seen.add(name)
}
