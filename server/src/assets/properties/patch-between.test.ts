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

test('patches are combined, in which a null still removes', () => {
  expect(
    combinePatches([
      { a: 1, b: { c: 1, d: 2 } },
      { b: { c: null }, e: 3 },
    ]),
  ).toEqual({
    a: 1,
    b: { c: null, d: 2 },
    e: 3,
  })
  expect(combinePatches([{ a: { b: 1 } }, { a: null }])).toEqual({ a: null })
  expect(combinePatches([{ a: { b: 1 } }, { a: 2 }, { a: { c: 3 } }, { a: { d: 4 } }])).toEqual({
    a: { c: 3, d: 4 },
  })
  expect(Object.keys(combinePatches([{}, JSON.parse('{"__proto__": {"a": 1}}')]))).toEqual(['__proto__'])
})

test('combining thousands of patches takes time in proportion to them', () => {
  const patches = Array.from({ length: 10_000 }, (_, index) => ({ motor: { [`property-${index}`]: index } }))
  const startedAtMs = performance.now()
  expect(Object.keys(combinePatches(patches).motor as object)).toHaveLength(10_000)
  expect(performance.now() - startedAtMs).toBeLessThan(1000)
})
