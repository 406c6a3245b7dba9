import { expect, test } from 'vitest'
import { createGenerator } from './generator.ts'
import type { Signal } from './signal.ts'

const generate = (
  signal: Partial<Signal>,
  seconds: number[],
  column?: Signal['values'],
  random: () => number = () => 0.5,
) => {
  const next = createGenerator({ name: 'x', generator: 'constant', ...signal }, column, random)
  return seconds.map((second, index) => next({ seconds: second, index }))
}

test('a constant is a number, a boolean or text', () => {
  for (const value of [3, false, 'on']) expect(generate({ value }, [0, 9])).toEqual([value, value])
})

test('a sine swings around its offset, with noise on both sides', () => {
  const sine = { generator: 'sine', amplitude: 10, offset: 50, periodSeconds: 40 } as const
  const values = generate(sine, [0, 10, 20, 30, 40]) as number[]
  values.forEach((value, index) => expect(value).toBeCloseTo([50, 60, 50, 40, 50][index]!))
  expect(generate({ ...sine, noise: 2 }, [0], [], () => 1)).toEqual([52])
  expect(generate({ ...sine, noise: 2 }, [0], [], () => 0)).toEqual([48])
})

test('a random walk starts at its start value, and stays within its limits', () => {
  const walk = { generator: 'randomWalk', start: 5, step: 2, min: 0, max: 8 } as const
  expect(generate(walk, [0, 1, 2, 3], [], () => 1)).toEqual([5, 7, 8, 8])
  expect(generate(walk, [0, 1, 2, 3, 4], [], () => 0)).toEqual([5, 3, 1, 0, 0])
  const free = { generator: 'randomWalk', start: 0, step: 1 } as const
  expect(generate(free, [0, 1, 2], [], () => 1)).toEqual([0, 1, 2])
})

test('each step lasts for its duration, and the steps repeat', () => {
  const steps = { generator: 'steps', values: [1, true, 'c'], holdSeconds: 10 } as const
  expect(generate({ ...steps, values: [...steps.values] }, [0, 9.9, 10, 25, 30])).toEqual([
    1,
    1,
    true,
    'c',
    1,
  ])
})

test('a column continues row by row, and repeats or ends', () => {
  const csv = { generator: 'csv', resourceId: 'r', column: 'c' } as const
  expect(generate(csv, [0, 1, 2], [4, 5])).toEqual([4, 5, 4])
  expect(generate({ ...csv, loop: false }, [0, 1, 2], [4, 5])).toEqual([4, 5, undefined])
})
