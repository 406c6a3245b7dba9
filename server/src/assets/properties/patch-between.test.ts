import { expect, test } from 'vitest'
import { mergePatch } from '../../providers/twin/merge-patch.ts'
import { combinePatches, patchBetween } from './patch-between.ts'

test.each([
  [1, 2],
  [{ a: 1 }, 2],
  [2, { a: 1 }],
  [{ a: 1, b: { c: 1, d: 2 } }, { b: { d: 3 } }],
  [{ a: 1 }, { a: 1 }],
  [[1, 2], [1]],
  [undefined, { a: { b: 1 } }],
  [{ a: 1 }, undefined],
  [{ a: { b: 1 } }, {}],
])('merged into what had %j, it leaves %j', (before, after) => {
  const state = before === undefined ? {} : { property: before }
  const merged = mergePatch(state, { property: patchBetween(before, after) })
  expect(merged).toEqual(after === undefined ? {} : { property: after })
})

test('unchanged values are sent too, since the device may have other ones by now', () => {
  expect(patchBetween(5, 5)).toBe(5)
  expect(patchBetween({ a: 1 }, { a: 1 })).toEqual({ a: 1 })
})

test('two patches are combined, in which a null still removes', () => {
  expect(combinePatches({ a: 1, b: { c: 1, d: 2 } }, { b: { c: null }, e: 3 })).toEqual({
    a: 1,
    b: { c: null, d: 2 },
    e: 3,
  })
  expect(combinePatches({ a: { b: 1 } }, { a: null })).toEqual({ a: null })
  expect(Object.keys(combinePatches({}, JSON.parse('{"__proto__": {"a": 1}}')))).toEqual(['__proto__'])
})
