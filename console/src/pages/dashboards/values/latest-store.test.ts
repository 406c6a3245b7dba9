import type { TelemetryEvent } from '@gangway/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLatestStore } from './latest-store.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 0 })
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now())
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const event = (value: number, time = '2026-11-22T08:00:00.000Z') => ({ time, value }) as TelemetryEvent

test('a value that comes late does not replace a newer one', () => {
  const store = createLatestStore()
  store.set('a', event(2, '2026-11-22T08:00:01.000Z'))
  store.set('a', event(1))
  expect(store.get('a')?.value).toBe(2)
  store.stop()
})

/** Sets all values every 10 ms. @returns the times at which the reader of the first one was told */
function follow(read: number, unread: number, lengthMs: number) {
  const store = createLatestStore()
  const toldMs: number[] = []
  for (let index = 0; index < read; index++)
    store.subscribe(`read ${index}`, () => index === 0 && toldMs.push(Date.now()))
  for (let atMs = 0; atMs < lengthMs; atMs += 10) {
    for (let index = 0; index < read; index++) store.set(`read ${index}`, event(atMs))
    for (let index = 0; index < unread; index++) store.set(`unread ${index}`, event(atMs))
    vi.advanceTimersByTime(10)
  }
  store.stop()
  return toldMs
}

test('readers are told four times a second, or twice where many values change at once', () => {
  expect(follow(30, 100, 1000)).toEqual([250, 500, 750, 1000])
  vi.setSystemTime(0)
  expect(follow(31, 0, 2000)).toEqual([250, 500, 1000, 1500, 2000])
})
