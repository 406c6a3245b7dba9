import { expect, test } from 'vitest'
import { mergePatch } from './merge-patch.ts'

// The examples of RFC 7386, appendix A, whose values are objects.
test.each([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{ a: 'foo' }, { a: { b: 'c' } }, { a: { b: 'c' } }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j with %j is %j', (target, patch, merged) => {
  const before = structuredClone({ target, patch })
  expect(mergePatch(target, patch)).toEqual(merged)
  expect({ target, patch }).toEqual(before)
})

test('a key named __proto__ is treated like any other key', () => {
  const merged = mergePatch({}, JSON.parse('{"__proto__": {"admin": true}}'))
  expect(Object.keys(merged)).toEqual(['__proto__'])
  expect(({} as Record<string, unknown>).admin).toBeUndefined()
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
})
