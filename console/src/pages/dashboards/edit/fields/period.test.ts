import { expect, test } from 'vitest'
import { periodUnits, readLength, writeLength } from './period.ts'

test('a length of one unit is read as it was written', () => {
  for (const unit of periodUnits) expect(readLength(writeLength(90, unit))).toEqual({ count: 90, unit })
  expect(writeLength(90, 'minute')).toBe('PT90M')
  expect(writeLength(3, 'month')).toBe('P3M')
})

test.each(['', 'P1DT2H', 'PT0M', 'PT1.5H', 'PT5S', 'P5H', 'PT05M', 'yesterday'])('%j is none', (period) => {
  expect(readLength(period)).toBeUndefined()
})
