import { expect, test } from 'vitest'
import { createAwaited } from './awaited.ts'

test('each awaited answer gets the events since its own request', () => {
  const awaited = createAwaited<number>()
  awaited.record(0)
  const first = awaited.begin()
  awaited.record(1)
  const second = awaited.begin()
  awaited.record(2)
  first.end()
  awaited.record(3)
  second.end()
  awaited.record(4)
  expect([first.events, second.events]).toEqual([
    [1, 2],
    [2, 3],
  ])
  expect(awaited.isWaiting()).toBe(false)
})
