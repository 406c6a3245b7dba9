import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findUnstorableText, holdsUnstorableText, isTooDeep } from './json-limits.ts'

const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown

test('counts levels, however many there are', () => {
  expect(isTooDeep(nested(64))).toBe(false)
  expect(isTooDeep(nested(66))).toBe(true)
  expect(isTooDeep(nested(500_000))).toBe(true)
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => !isTooDeep(value)))
})

test('finds text that PostgreSQL refuses, in values and keys', () => {
  expect(holdsUnstorableText({ a: [{ b: 'fine ü 😀' }] })).toBe(false)
  expect(holdsUnstorableText({ a: [{ b: 'x\u0000' }] })).toBe(true)
  expect(holdsUnstorableText({ 'k\u0000': 1 })).toBe(true)
  expect(holdsUnstorableText(['\ud800'])).toBe(true)
})

test('names the place of such text, of a name by the object that has it', () => {
  expect(findUnstorableText({ a: ['fine', { b: '\udc00' }] })).toEqual({
    path: ['a', '1', 'b'],
    isKey: false,
  })
  expect(findUnstorableText({ a: [{ '\ud800': 1 }] })).toEqual({ path: ['a', '0'], isKey: true })
  expect(findUnstorableText({ a: '😀' })).toBeUndefined()
})
