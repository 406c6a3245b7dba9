import { expect, test } from 'vitest'
import { findChange } from './change-text.ts'
import { findLine, findPlace, locateJson } from './locate.ts'
import { writeJson } from './write-json.ts'

const text = `{
  "@id": "dtmi:a;1",
  "contents": [{"name": "rpm", "schema": "number"}, {"a.b": {"c": []}}]
}`

const shown = (path: string) => {
  const { root } = locateJson(text)
  const { from, to } = findPlace(root!, path)
  return text.slice(from, to)
}

test('a path is resolved to its value', () => {
  expect(shown('contents.0.schema')).toBe('"number"')
  expect(shown('@id')).toBe('"dtmi:a;1"')
  expect(shown('contents.1.a.b.c')).toBe('[]')
})

test('an unknown path is resolved to the last key that exists', () => {
  expect(shown('contents.0.unit')).toBe('{')
  expect(shown('contents')).toBe('"contents"')
  expect(shown('@type')).toBe('{')
  expect(shown('')).toBe('{')
})

test('lines and columns begin at 1', () => {
  expect(findLine(text, 0)).toEqual({ line: 1, column: 1 })
  expect(findLine(text, text.indexOf('"@id"'))).toEqual({ line: 2, column: 3 })
})

test.each([
  ['{"a": 1,}', 8],
  ['{"a" 1}', 5],
  ['[1 2]', 3],
  ['{"a": 01}', 7],
  ['"open', 0],
  ['{} x', 3],
  ['nul', 0],
  ['[', 0],
])('%s is wrong at %i', (wrong, at) => {
  expect(() => JSON.parse(wrong)).toThrow()
  expect(locateJson(wrong).wrongAt?.from).toBe(at)
})

test.each(['0', '-1.5e+3', '"\\u00e9\\n"', ' [ ] ', '{"":{"":[null,true,false]}}', '"🚀"'])(
  '%s is JSON',
  (right) => {
    expect(locateJson(right).wrongAt).toBeNull()
  },
)

test('a change excludes the common start and end', () => {
  expect(findChange('abcd', 'abxd')).toEqual({ from: 2, to: 3, insert: 'x' })
  expect(findChange('aa', 'aaa')).toEqual({ from: 2, to: 2, insert: 'a' })
  expect(findChange('abc', '')).toEqual({ from: 0, to: 3, insert: '' })
})

test('JSON is formatted in lines of limited length', () => {
  const logic = { '/': [{ '-': [{ var: 'fahrenheit' }, 32] }, 1.8] }
  expect(writeJson(logic)).toBe('{"/": [{"-": [{"var": "fahrenheit"}, 32]}, 1.8]}')
  const long = { a: Array.from({ length: 6 }, () => 'x'.repeat(16)), b: null }
  const written = writeJson(long)
  expect(written.split('\n')).toHaveLength(11)
  expect(JSON.parse(written)).toEqual(long)
})
