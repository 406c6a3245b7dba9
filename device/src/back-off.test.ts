import { expect, test } from 'vitest'
import { backOffCeilingMs, equalJitterMs, fullJitterMs } from './back-off.ts'

// [docs/mqtt#back-off]
test('the pause starts at 1 s, doubles with each failure and stays at 60 s', () => {
  const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 2_000].map((failures) => backOffCeilingMs(failures) / 1_000)
  expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
})

test('jitter spreads over the whole wait, or over its upper half', () => {
  expect([fullJitterMs(8_000, 0), fullJitterMs(8_000, 0.999)]).toEqual([0, 7_992])
  expect([equalJitterMs(8_000, 0), equalJitterMs(8_000, 0.999)]).toEqual([4_000, 7_996])
})
