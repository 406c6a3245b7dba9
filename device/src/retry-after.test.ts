import { expect, test } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const nowMs = Date.parse('2026-11-21T10:00:00Z')

test.each([
  ['7', 7_000],
  [' 0 ', 0],
  ['Sat, 21 Nov 2026 10:00:09 GMT', 9_000],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['99999999999', 3_600_000],
  ['soon', null],
  ['', null],
  [null, null],
])('Retry-After %j means %j ms', (header, ms) => {
  expect(retryAfterMs(header, nowMs)).toBe(ms)
})
