import { expect, test } from 'vitest'
import { createBoundedCache } from './bounded-cache.ts'

test('it stays bounded, and keeps the entries that were read or set last', () => {
  const memo = createBoundedCache<number, string>(10)
  for (let key = 0; key < 1000; key++) {
    memo.set(key, `${key}`)
    memo.get(0)
  }
  // The last one is read first, since reading counts as use.
  const keys = Array.from({ length: 1000 }, (_, index) => 999 - index)
  const known = keys.filter((key) => memo.get(key) !== undefined)
  expect(known.length).toBeLessThanOrEqual(10)
  expect(known).toEqual(expect.arrayContaining([0, 996, 997, 998, 999]))
})

test('a replaced value is returned, and a deleted one is not, however old it is', () => {
  const memo = createBoundedCache<string, number>(4)
  memo.set('a', 1)
  for (const filler of ['b', 'c']) memo.set(filler, 0)
  memo.set('a', 2)
  expect(memo.get('a')).toBe(2)
  memo.delete('a')
  expect(memo.get('a')).toBeUndefined()
  memo.set('a', 3)
  memo.clear()
  expect(memo.get('a')).toBeUndefined()
})
