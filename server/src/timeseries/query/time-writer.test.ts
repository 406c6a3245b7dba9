import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTimeWriter } from './time-writer.ts'

test('times are written as Date.toISOString does, in any order and from the first year to the last', () => {
  const anyMs = fc.date({ noInvalidDate: true }).map((date) => date.getTime())
  fc.assert(
    fc.property(fc.array(fc.oneof(anyMs, fc.integer({ min: -100_000_000, max: 200_000_000 }))), (times) => {
      const writeTime = createTimeWriter()
      expect(times.map(writeTime)).toEqual(times.map((ms) => new Date(ms).toISOString()))
    }),
  )
  const edges = [-8.64e15, Date.parse('0000-01-01'), Date.parse('0000-01-01') - 1, -1, 0, 8.64e15]
  const writeTime = createTimeWriter()
  for (const ms of edges) expect(writeTime(ms)).toBe(new Date(ms).toISOString())
})
