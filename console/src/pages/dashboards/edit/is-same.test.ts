import { expect, test } from 'vitest'
import { isSame } from './is-same.ts'

test('values are the same if their JSON is, in whatever order its keys are', () => {
  expect(isSame({ a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] })).toBe(true)
  expect(isSame({ a: 1, b: undefined }, { a: 1 })).toBe(true)
  expect(isSame({ a: 1 }, { b: undefined, a: 1 })).toBe(true)
  expect(isSame(undefined, undefined)).toBe(true)
})

test.each([
  [{ a: 1 }, { a: 1, b: 2 }],
  [{ a: 1, b: 2 }, { a: 1 }],
  [{ a: null }, {}],
  [[], {}],
  [{}, []],
  [{ 0: 'a' }, ['a']],
  [[1, 2], [1]],
  [
    [1, 2],
    [2, 1],
  ],
  [null, {}],
  [{}, null],
  [undefined, null],
  [1, '1'],
])('%j and %j differ', (a, b) => expect(isSame(a, b)).toBe(false))
