import { expect, test } from 'vitest'
import { compareLines } from './compare-lines.ts'

const marked = (left: string, right: string) =>
  compareLines(left.split(' ').join('\n'), right.split(' ').join('\n')).map((lines) =>
    lines.map(({ text, isOnlyHere }) => (isOnlyHere ? `*${text}` : text)).join(' '),
  )

test.each([
  ['a b c', 'a b c', ['a b c', 'a b c']],
  ['a b c', 'a x c', ['a *b c', 'a *x c']],
  ['a c', 'a b c', ['a c', 'a *b c']],
  ['a b c d e', 'a c d x e', ['a *b c d e', 'a c d *x e']],
  ['a a', 'a', ['a *a', 'a']],
  ['a', 'b', ['*a', '*b']],
])('compares %j with %j', (left, right, expected) => {
  expect(marked(left, right)).toEqual(expected)
})

test('large texts that have nothing in common count as different', () => {
  const lines = (name: string) => Array.from({ length: 3000 }, (_, index) => `${name}${index}`).join('\n')
  const [left, right] = compareLines(lines('a'), lines('b'))
  expect([left, right].map((all) => all.every(({ isOnlyHere }) => isOnlyHere))).toEqual([true, true])
})
