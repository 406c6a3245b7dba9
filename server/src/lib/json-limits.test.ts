import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findExcess, findUnstorableText, holdsUnstorableText, isTooDeep } from './json-limits.ts'

const noLimits = { maxDepth: Infinity, maxParts: Infinity, maxKeys: Infinity, maxOuterKeys: Infinity }

const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown

test('counts levels, however many there are', () => {
  expect(isTooDeep(nested(64))).toBe(false)
  expect(isTooDeep(nested(66))).toBe(true)
  expect(isTooDeep(nested(500_000))).toBe(true)
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => !isTooDeep(value)))
})

test('counts the levels of JSON text as those of its value, whatever its strings hold', () => {
  const deep = (text: string, maxDepth: number) =>
    findExcess(Buffer.from(text), { ...noLimits, maxDepth }) === 'maxDepth'
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
    findExcess(Buffer.from(text), { ...noLimits, maxParts }) === 'maxParts'
  const text = String.raw`{"a": [1, "[{:", {"b\\":":"}], "c": {}}`
  expect([holdsMore(text, 6), holdsMore(text, 7)]).toEqual([true, false])
  expect(holdsMore(`[${'1,'.repeat(1000)}1]`, 1)).toBe(false)
  expect(holdsMore(`{${'"a":1,'.repeat(1000)}"a":1}`, 1000)).toBe(true)
})

test('counts distinct keys, of the outermost object and in total', () => {
  const excess = (text: string, limits: object) => findExcess(Buffer.from(text), { ...noLimits, ...limits })
  const text = String.raw`{"a": 1, "a": {"b": 2, "c": 3}, "d\"": [{"b": 4}, {"c": "e"}], "list": ["a:", 1]}`
  expect([2, 3].map((maxOuterKeys) => excess(text, { maxOuterKeys }))).toEqual(['maxOuterKeys', undefined])
  expect([4, 5].map((maxKeys) => excess(text, { maxKeys }))).toEqual(['maxKeys', undefined])
  const keys = (count: number) =>
    Array.from({ length: count }, (_, index) => `"${index.toString(36)}":0`).join()
  // Hash collisions hide some keys.
  expect(excess(`{"a":{${keys(17_000)}}}`, { maxKeys: 16_000 })).toBe('maxKeys')
  expect(excess(`{"a":{${keys(15_999)}}}`, { maxKeys: 16_000 })).toBe(undefined)
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
