import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatWhole, roundWhole, sumWhole } from './exact-sum.ts'
import { addNumber, averageText, createRunningSum, sumText } from './running-sum.ts'

const addAll = (numbers: number[]) => {
  const sum = createRunningSum()
  for (const number of numbers) addNumber(sum, number)
  return sum
}
const anyNumbers = fc.array(
  fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1, max: 1 }),
    fc.integer().map((whole) => whole / 100),
    fc.constantFrom(2 ** 53, 1, -1, 2 ** -53, 2 ** -54, -(2 ** -54), 5e-324, 1.7976931348623157e308),
  ),
)
/** Ignores the sign of zero. */
const unsigned = (number: number) => (number === 0 ? 0 : number)

test('a sum is rounded once, independent of the order of its numbers', () => {
  fc.assert(
    fc.property(anyNumbers, (numbers) => {
      const whole = sumWhole(numbers)
      const exact = roundWhole(whole)
      const expected = Number.isFinite(exact) ? exact : Number(formatWhole(whole))
      for (const some of [numbers, numbers.toReversed(), numbers.toSorted((a, b) => a - b)])
        expect(unsigned(Number(sumText(addAll(some))))).toBe(unsigned(expected))
    }),
    { numRuns: 2000 },
  )
})

test('sums for which naive addition is wrong', () => {
  const sum = (...numbers: number[]) => sumText(addAll(numbers))
  expect(sum(0.1, 0.2, 0.3, -0.3, -0.2, -0.1)).toBe('0')
  expect(sum(1e100, 1, -1e100)).toBe('1')
  expect(sum(2 ** 53, 1, 2 ** -60)).toBe(`${2 ** 53 + 2}`)
  expect(sum()).toBe('0')
  expect(sum(1.7e308, 1.7e308, -1.7e308)).toBe('1.7e+308')
  expect(averageText(addAll([1.7e308, 1.7e308]))).toBe('1.7e+308')
  expect(sum(-(2 ** 1023), -(2 ** 1023))).toBe(`-${2n ** 1024n}`)
})

test('every double is an integer multiple of the smallest one', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(unsigned(roundWhole(sumWhole([number])))).toBe(unsigned(number))
    }),
    { numRuns: 2000 },
  )
})
