import type { Bounds } from './attack.ts'
import type { Measured } from './measure.ts'

/** @returns a description of each exceeded bound */
export const missedBounds = (measured: Measured, bounds: Bounds): string[] => [
  ...(measured.heldMs > bounds.heldMs
    ? [`the event loop was held for ${ms(measured.heldMs)}, at most ${ms(bounds.heldMs)}`]
    : []),
  ...(measured.p99Ms > bounds.p99Ms
    ? [`the 99th percentile of PUBACK is ${ms(measured.p99Ms)}, at most ${ms(bounds.p99Ms)}`]
    : []),
  ...(measured.grownMb > bounds.grownMb
    ? [`memory grew by ${measured.grownMb.toFixed(0)} MB, at most ${bounds.grownMb} MB`]
    : []),
  ...(measured.disconnects > 0 ? [`the other tenant's connection broke ${measured.disconnects} times`] : []),
]

export const formatLine = (
  name: string,
  { elapsedMs, heldMs, cpuSeconds, grownMb, messages, p50Ms, p99Ms, maxMs }: Measured,
): string =>
  `${name.padEnd(12)} event loop held ${ms(heldMs)} (${ms(elapsedMs)} elapsed), CPU ${cpuSeconds.toFixed(1)} s, ` +
  `memory +${Math.max(0, grownMb).toFixed(0)} MB, PUBACK of ${messages}: p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}, max ${ms(maxMs)}`

const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
