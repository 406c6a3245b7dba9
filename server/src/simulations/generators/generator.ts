/** A generator says what a signal of one device is at a moment. Small functions, each with its own little state. */
import type { Signal, SimulatedValue } from './signal.ts'

export interface Moment {
  /** Since the simulation was started. */
  seconds: number
  /** How many messages the device would have sent before this one. */
  index: number
}

/** Answers nothing once there is nothing more to say. */
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
