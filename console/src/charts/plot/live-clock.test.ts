import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLiveClock } from './live-clock.ts'

/** How much longer than the timers say everything takes. */
let lateMs = 0
beforeEach(() => {
  lateMs = 0
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 0 })
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now() + lateMs)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

function record() {
  const runs: string[] = []
  return { runs, note: (name: string) => () => runs.push(`${name} ${Date.now()}`) }
}

test('charts that are requested often run once, and together', () => {
  const clock = createLiveClock()
  const { runs, note } = record()
  const first = clock.add(note('first'), () => 900)
  const second = clock.add(note('second'), () => 1000)
  vi.advanceTimersByTime(300)
  for (let count = 0; count < 3; count++) {
    first.request()
    second.request()
  }
  vi.advanceTimersByTime(3000)
  expect(runs).toEqual(['first 1000', 'second 1000'])
})

test('a long interval ends in the same turn as the short ones within it, also if a run takes long', () => {
  const clock = createLiveClock()
  const { runs, note } = record()
  const noteShort = note('short')
  const short = clock.add(
    () => {
      noteShort()
      // It began before the end of the long interval, and asks after it.
      if (Date.now() === 875) lateMs = 130
      short.request()
      lateMs = 0
    },
    () => 1,
  )
  const long = clock.add(note('long'), () => 900)
  long.request()
  short.request()
  vi.advanceTimersByTime(1000)
  expect(runs.slice(-3)).toEqual(['short 875', 'short 1000', 'long 1000'])
})

test('a timer that fires a little early runs what is due once', () => {
  const clock = createLiveClock()
  const { runs, note } = record()
  const noteShort = note('short')
  const short = clock.add(
    () => {
      noteShort()
      short.request()
    },
    () => 125,
  )
  vi.advanceTimersByTime(10)
  lateMs = -0.5
  short.request()
  vi.advanceTimersByTime(250)
  expect(runs).toEqual(['short 125', 'short 250'])
})

test('a chart that is removed does not run, and the others do', () => {
  const clock = createLiveClock()
  const { runs, note } = record()
  const removed = clock.add(note('removed'), () => 125)
  clock.add(note('kept'), () => 250).request()
  removed.request()
  removed.remove()
  vi.advanceTimersByTime(1000)
  expect(runs).toEqual(['kept 250'])
})
