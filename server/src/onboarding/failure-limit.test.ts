import { expect, test } from 'vitest'
import { createFailureLimit } from './failure-limit.ts'

test('a key pauses from its last allowed failure to the end of the minute, others do not', () => {
  let now = 0
  const limit = createFailureLimit(3, 100, () => now)
  for (let failure = 0; failure < 2; failure++) limit.note('a')
  expect(limit.pauseSeconds('a')).toBe(0)
  now = 20_000
  limit.note('a')
  expect(limit.pauseSeconds('a')).toBe(40)
  expect(limit.pauseSeconds('b')).toBe(0)
  now = 60_000
  expect(limit.pauseSeconds('a')).toBe(0)
  limit.note('a')
  expect(limit.pauseSeconds('a')).toBe(0)
})

test('it remembers so many keys and no more', () => {
  const limit = createFailureLimit(1, 2, () => 0)
  for (const key of ['a', 'b', 'c']) limit.note(key)
  expect(['a', 'b', 'c'].map((key) => limit.pauseSeconds(key))).toEqual([0, 60, 60])
})
