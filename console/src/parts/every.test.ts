import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { every } from './every.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('functions of one interval run together, whenever they were added, until they are ended', () => {
  const runs: string[] = []
  const record = (name: string) => () => runs.push(`${name} ${Math.round(performance.now() % 10_000)}`)
  const startMs = Math.ceil(performance.now() / 10_000) * 10_000
  vi.advanceTimersByTime(startMs - performance.now() + 300)
  const endFirst = every(1000, record('first'))
  vi.advanceTimersByTime(400)
  const endSecond = every(1000, record('second'))
  const endLong = every(2000, record('long'))
  vi.advanceTimersByTime(1400)
  expect(runs.toSorted()).toEqual(['first 1000', 'first 2000', 'long 2000', 'second 1000', 'second 2000'])
  endFirst()
  vi.advanceTimersByTime(1000)
  expect(runs.slice(5)).toEqual(['second 3000'])
  endSecond()
  endLong()
  vi.advanceTimersByTime(3000)
  expect(runs).toHaveLength(6)
  expect(vi.getTimerCount()).toBe(0)
})

test('an interval that ended begins again', () => {
  const run = vi.fn<() => void>()
  every(1000, run)()
  vi.advanceTimersByTime(1000)
  const end = every(1000, run)
  vi.advanceTimersByTime(1000)
  expect(run).toHaveBeenCalledTimes(1)
  end()
})
