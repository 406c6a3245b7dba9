import { expect, test } from 'vitest'
import { createFailureLimit } from './failure-limit.ts'

test('a key is paused from its last allowed failure to the end of the minute, other keys are not', () => {
  let now = 0
  const limit = createFailureLimit(3, 100, () => now)
  for (let failure = 0; failure < 2; failure++) limit.recordFailure('a')
  expect(limit.pauseSeconds('a')).toBe(0)
  now = 20_000
  limit.recordFailure('a')
  expect(limit.pauseSeconds('a')).toBe(40)
  expect(limit.pauseSeconds('b')).toBe(0)
  now = 60_000
  expect(limit.pauseSeconds('a')).toBe(0)
  limit.recordFailure('a')
  expect(limit.pauseSeconds('a')).toBe(0)
})

test('the number of keys is bounded', () => {
  const limit = createFailureLimit(1, 2, () => 0)
  for (const key of ['a', 'b', 'c']) limit.recordFailure(key)
  expect(['a', 'b', 'c'].map((key) => limit.pauseSeconds(key))).toEqual([0, 60, 60])
})
