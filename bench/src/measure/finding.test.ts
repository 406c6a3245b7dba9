import { expect, test } from 'vitest'
import { compare, isMet } from './finding.ts'
import { median, percentile } from './statistics.ts'

const finding = { measure: 'rows/s', unit: 'rows/s' }

test('where more is better, the ratio of each round is our value to theirs', () => {
  const drifting = { rounds: [60, 30, 6], baseline: { name: 'plain', rounds: [100, 50, 10] } }
  expect(compare({ ...finding, better: 'more', ...drifting })).toMatchObject({
    value: 30,
    baseline: { value: 50 },
    ratio: 0.6,
  })
})

test('where less is better, the ratio is their value to ours', () => {
  const compared = compare({
    ...finding,
    better: 'less',
    rounds: [4],
    baseline: { name: 'plain', rounds: [1] },
  })
  expect(compared.ratio).toBe(0.25)
})

test.each([
  [{ ratioAtLeast: 0.6 }, { ratio: 0.6, value: 1 }, true],
  [{ ratioAtLeast: 0.6 }, { ratio: 0.59, value: 1 }, false],
  [{ ratioAtLeast: 0.6 }, { value: 1 }, false],
  [{ valueAtMost: 3 }, { value: 3 }, true],
  [{ valueAtMost: 3 }, { value: 3.1 }, false],
  [{ valueAtLeast: 3 }, { value: 3 }, true],
  [{ valueAtLeast: 3 }, { value: 2.9 }, false],
  [undefined, { value: 1 }, undefined],
])('the goal %j for %j: %s', (goal, measured, met) => {
  expect(isMet({ ...finding, ...measured, goal })).toBe(met)
})

test('the median of an even number is between the middle two, other percentiles are values that were measured', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5)
  expect(percentile([5, 1, 3], 99)).toBe(5)
})

test('an empty list has no median', () => {
  expect(() => median([])).toThrow('nothing was measured')
})
