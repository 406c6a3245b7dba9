import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findExcess, findUnstorableText, holdsUnstorableText, isTooDeep } from './json-limits.ts'

const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown

test('counts levels, however many there are', () => {
  expect(isTooDeep(nested(64))).toBe(false)
  expect(isTooDeep(nested(66))).toBe(true)
  expect(isTooDeep(nested(500_000))).toBe(true)
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => !isTooDeep(value)))
})

test('counts the levels of JSON text as those of its value, whatever its strings hold', () => {
  const deep = (text: string, maxDepth: number) =>
    findExcess(Buffer.from(text), { maxDepth, maxParts: Infinity }) === 'maxDepth'
  expect(deep('[{"a":[]},[[]]]', 3)).toBe(false)
  expect(deep('[{"a":[]},[[]]]', 2)).toBe(true)
  expect(deep(String.raw`{"[[\\\"[":"[{\\"}`, 1)).toBe(false)
  expect(deep(`["${'ü'.repeat(9)}`, 1)).toBe(false)
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (value, maxDepth) => {
      expect(deep(JSON.stringify(value), maxDepth)).toBe(isTooDeep(value, maxDepth - 1))
    }),
  )
})

test('counts the lists, objects and keys of JSON text, whatever its strings hold', () => {
  const holdsMore = (text: string, maxParts: number) =>
    findExcess(Buffer.from(text), { maxDepth: Infinity, maxParts }) === 'maxParts'
  const text = String.raw`{"a": [1, "[{:", {"b\\":":"}], "c": {}}`
  expect([holdsMore(text, 6), holdsMore(text, 7)]).toEqual([true, false])
  expect(holdsMore(`[${'1,'.repeat(1000)}1]`, 1)).toBe(false)
})

test('finds text that PostgreSQL refuses in values and keys', () => {
  expect(holdsUnstorableText({ a: [{ b: 'fine ü 😀' }] })).toBe(false)
  expect(holdsUnstorableText({ a: [{ b: 'x\u0000' }] })).toBe(true)
  expect(holdsUnstorableText({ 'k\u0000': 1 })).toBe(true)
  expect(holdsUnstorableText(['\ud800'])).toBe(true)
})

test('names the path of such text, for a name the path of its object', () => {
  expect(findUnstorableText({ a: ['fine', { b: '\udc00' }] })).toEqual({
    path: ['a', '1', 'b'],
    isKey: false,
  })
  expect(findUnstorableText({ a: [{ '\ud800': 1 }] })).toEqual({ path: ['a', '0'], isKey: true })
  expect(findUnstorableText({ a: '😀' })).toBeUndefined()
})
