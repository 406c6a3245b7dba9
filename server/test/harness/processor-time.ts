/** Measures work in processor time, since the machine may be busy. */
import { expect } from 'vitest'

/** Processor time of this process in milliseconds; of three runs the least. */
function processorMs(work: () => void): number {
  const runs = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...runs)
}

/**
 * Four times the input is sixteen times the work if it grows with the square; the rest is compilation and garbage
 * collection.
 */
const MOST_GROWTH = 8
const NOISE_MS = 100

/** @param prepareWork does the work on an input of this many bytes, characters or items */
export function expectLinearGrowth(prepareWork: (size: number) => () => void, size: number): void {
  const small = processorMs(prepareWork(size / 4))
  expect(processorMs(prepareWork(size))).toBeLessThan(MOST_GROWTH * small + NOISE_MS)
}
