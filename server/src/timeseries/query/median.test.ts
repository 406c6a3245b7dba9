import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collectNumber, createCollection, findMedian } from './median.ts'

const collect = (numbers: number[]) => {
  const collected = createCollection()
  for (const number of numbers) collectNumber(collected, number)
  return collected
}

test('the median equals that of the sorted numbers', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, min: -1e9, max: 1e9 })), {
        minLength: 1,
        maxLength: 50,
      }),
      (numbers) => {
        const sorted = numbers.toSorted((a, b) => a - b)
        const lower = sorted[Math.floor((sorted.length - 1) / 2)]!
        const upper = sorted[Math.ceil((sorted.length - 1) / 2)]!
        const expected = lower === upper ? lower : lower + 0.5 * (upper - lower)
        expect(findMedian(collect(numbers)) + 0).toBe(expected + 0)
      },
    ),
    { numRuns: 1000 },
  )
})

test('a median of too many numbers is refused', () => {
  const collected = createCollection()
  const collectAll = () => {
    for (let count = 0; count <= 4 * 1024 * 1024; count++) collectNumber(collected, count)
  }
  expect(collectAll).toThrow('median needs too many values')
  expect(collected.numbers.byteLength).toBe(32 * 1024 * 1024)
})
