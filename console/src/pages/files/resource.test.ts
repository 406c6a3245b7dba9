import { expect, test } from 'vitest'
import { chooseFileName, readKind, readTagFilter, type Resource, writeTagFilter } from './resource.ts'

test.each([
  ['type', 'manual', 'type:manual', 'type: manual'],
  ['a:b', 'c|d', String.raw`a\:b:c\|d`, 'a:b: c|d'],
  [String.raw`end\ `.trim(), 'x', String.raw`end\\:x`, String.raw`end\: x`],
])(
  'the tag %s with the value %s is escaped in the filter, and shown as it is',
  (key, value, filter, shown) => {
    expect(writeTagFilter(key, value)).toBe(filter)
    expect(readTagFilter(filter)).toBe(shown)
  },
)

test.each([
  [{ tags: { theme: 'x' } }, 'file'],
  [{ tags: { theme: 'x' }, document: {} }, 'theme'],
  [{ tags: {}, document: {} }, 'document'],
])('the kind of %o is %s', (resource, kind) => {
  expect(readKind(resource)).toBe(kind)
})

test('a document is saved under its name, without characters that file names cannot have', () => {
  expect(chooseFileName({ displayName: 'a/b\u202Etxt <x>' } as Resource)).toBe('a_b_txt _x_.json')
  expect(chooseFileName({ displayName: 'a', originalFileName: 'manual.pdf' } as Resource)).toBe('manual.pdf')
})
