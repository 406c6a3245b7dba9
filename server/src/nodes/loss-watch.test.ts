import { expect, test, vi } from 'vitest'
import { createLossWatch } from './loss-watch.ts'

const message = { isHeartbeat: false }
const heartbeat = { isHeartbeat: true }

test('a gap in the numbers of a sender is a loss, and is reported once', () => {
  const losses = createLossWatch(60_000)
  const receive = (number: number, options = message) => losses.receive('one', number, options)
  expect([1, 2, 4, 5].map((number) => receive(number))).toEqual([false, false, true, false])
  expect(receive(5, heartbeat)).toBe(false)
  expect(receive(6, heartbeat)).toBe(true)
  expect(receive(6, heartbeat)).toBe(false)
  expect(receive(7)).toBe(false)
})

test('each sender has its own numbers, and a new one begins with 1', () => {
  const losses = createLossWatch(60_000)
  expect(losses.receive('one', 1, message)).toBe(false)
  expect(losses.receive('fresh', 0, heartbeat)).toBe(false)
  expect(losses.receive('known to others', 7, message)).toBe(true)
  expect(losses.receive('one', 2, message)).toBe(false)
})

test('after a break any number is accepted once', () => {
  const losses = createLossWatch(60_000)
  losses.receive('one', 1, message)
  losses.skip()
  expect(losses.receive('one', 9, message)).toBe(false)
  expect(losses.receive('one', 11, message)).toBe(true)
})

test('a sender that is silent is reported once, and one that has left is not', async () => {
  const losses = createLossWatch(1)
  losses.receive('silent', 1, message)
  losses.receive('left', 1, message)
  losses.leave('left')
  await vi.waitUntil(() => losses.forgetSilent(), { interval: 5 })
  expect(losses.forgetSilent()).toBe(false)
  losses.receive('left', 1, message)
  losses.leave('left')
  expect(losses.forgetSilent()).toBe(false)
})
