/** Generators: functions that give the value of a device's signal at a moment. */
import type { Signal, SimulatedValue } from './signal.ts'

export interface Moment {
  /** Since the start of the simulation. */
  seconds: number
  /** Number of messages that were due before this one. */
  index: number
}

/** Returns undefined when there is no value, such as after the last row of a file. */
export type Generator = (moment: Moment) => SimulatedValue | undefined

/** @param column the values of a csv signal */
export function createGenerator(
  signal: Signal,
  column: (SimulatedValue | undefined)[] = [],
  random: () => number = Math.random,
): Generator {
  const { value = 0, amplitude = 0, offset = 0, periodSeconds = 1, noise = 0, holdSeconds = 1 } = signal
  const { values = [], loop = true } = signal
  switch (signal.generator) {
    case 'constant':
      return () => value
    case 'sine':
      return ({ seconds }) =>
        offset + amplitude * Math.sin((2 * Math.PI * seconds) / periodSeconds) + noise * (2 * random() - 1)
    case 'randomWalk':
      return randomWalk(signal, random)
    case 'steps':
      return ({ seconds }) => values[Math.floor(seconds / holdSeconds) % values.length]
    case 'csv':
      return ({ index }) => column[loop ? index % column.length : index]
  }
}

function randomWalk(
  { start = 0, step = 0, min = -1e15, max = 1e15 }: Signal,
  random: () => number,
): Generator {
  let next = start
  return () => {
    const value = next
    next = Math.min(max, Math.max(min, value + step * (2 * random() - 1)))
    return value
  }
}
