import { expect, test } from 'vitest'
import { spread } from './last-values.ts'

test('labels that would cover each other move apart, and stay within the plot', () => {
  const ys = (places: number[]) =>
    spread(
      places.map((y) => ({ y })),
      { least: 0, greatest: 100 },
    ).map(({ y }) => y)
  expect(ys([50, 45])).toEqual([45, 77])
  expect(ys([98, 95])).toEqual([68, 100])
  expect(ys([10, 90])).toEqual([10, 90])
})
