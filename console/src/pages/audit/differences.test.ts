import { expect, test } from 'vitest'
import { listDifferences } from './differences.ts'

test.each([
  ['nothing', { a: 1, b: [1] }, { a: 1, b: [1] }, []],
  [
    'values, also in objects',
    { a: 1, deep: { x: 1, y: 2 } },
    { a: 2, deep: { x: 1, y: 3 } },
    [
      { path: 'a', before: 1, after: 2 },
      { path: 'deep.y', before: 2, after: 3 },
    ],
  ],
  ['a new object', null, { a: 1, none: null }, [{ path: 'a', before: undefined, after: 1 }]],
  ['a deleted object', { a: 'x' }, null, [{ path: 'a', before: 'x', after: undefined }]],
  ['a list as one value', { a: [1, 2] }, { a: [2] }, [{ path: 'a', before: [1, 2], after: [2] }]],
  ['another type', { a: { b: 1 } }, { a: 'text' }, [{ path: 'a', before: { b: 1 }, after: 'text' }]],
  ['a value that was emptied', { a: false }, { a: null }, [{ path: 'a', before: false, after: undefined }]],
  ['no record', null, null, []],
])('lists %s', (_what, before, after, differences) => {
  expect(listDifferences(before, after)).toEqual(differences)
})
