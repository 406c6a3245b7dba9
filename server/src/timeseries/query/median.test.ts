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
      fc.array(
        fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, noDefaultInfinity: true })),
        {
          minLength: 1,
          maxLength: 50,
        },
      ),
      (numbers) => {
        const sorted = numbers.toSorted((a, b) => (a < b ? -1 : Number(a > b)))
        const lower = sorted[Math.floor((sorted.length - 1) / 2)]!
        const upper = sorted[Math.ceil((sorted.length - 1) / 2)]!
        const sum = lower + upper
        const expected = Number.isFinite(sum) ? sum / 2 : lower / 2 + upper / 2
        expect(findMedian(collect(numbers)) + 0).toBe(expected + 0)
      },
    ),
    { numRuns: 1000 },
  )
})

/** @returns numbers of which each pivot from the middle of the rest is the smallest */
function worstForMiddlePivot(count: number): number[] {
  const numbers = Array.from({ length: count }, () => 0)
  const places = Array.from({ length: count }, (_, index) => index)
  for (let first = 0; first < count; first++) {
    const middle = (first + count - 1) >> 1
    numbers[places[middle]!] = first
    ;[places[first], places[middle]] = [places[middle]!, places[first]!]
  }
  return numbers
}

test('no order of the numbers makes a median slow', () => {
  const count = 200_000
  const collected = collect(worstForMiddlePivot(count))
  const startMs = performance.now()
  expect(findMedian(collected)).toBe((count - 1) / 2)
  expect(performance.now() - startMs).toBeLessThan(1000)
})

test('a median of too many numbers is refused', () => {
  const collected = createCollection()
  const collectAll = () => {
    for (let count = 0; count <= 4 * 1024 * 1024; count++) collectNumber(collected, count)
  }
  expect(collectAll).toThrow('median needs too many values')
  expect(collected.numbers.byteLength).toBe(32 * 1024 * 1024)
})

test('the median of extreme numbers is one of them or between them', () => {
  expect(findMedian(collect([-Number.MAX_VALUE, Number.MAX_VALUE]))).toBe(0)
  expect(findMedian(collect([Number.MAX_VALUE, Number.MAX_VALUE]))).toBe(Number.MAX_VALUE)
})
