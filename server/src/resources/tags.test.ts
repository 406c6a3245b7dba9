import { expect, test } from 'vitest'
import { readTagFilters } from './tags.ts'

const read = (text: string) => readTagFilters([text])[0]!.map(({ key, value }) => [key, value])

test.each([
  ['type:logo', [['type', 'logo']]],
  [
    'type:logo|type:image',
    [
      ['type', 'logo'],
      ['type', 'image'],
    ],
  ],
  [
    'type:logo|image',
    [
      ['type', 'logo'],
      ['type', 'image'],
    ],
  ],
  ['url:http://a:1', [['url', 'http://a:1']]],
  ['a\\:b:c', [['a:b', 'c']]],
  ['a:b\\|c', [['a', 'b|c']]],
  [
    'a:b\\\\|c',
    [
      ['a', 'b\\'],
      ['a', 'c'],
    ],
  ],
  [
    'a:b|c\\:d',
    [
      ['a', 'b'],
      ['a', 'c:d'],
    ],
  ],
  ['a:\\d', [['a', '\\d']]],
  ['ключ:🚀', [['ключ', '🚀']]],
])('%s', (text, tags) => {
  expect(read(text)).toEqual(tags)
})

test.each(['', 'theme', ':x', 'x:', 'a:b|', '|a:b', 'a\\:b'])('"%s" is not a filter', (text) => {
  expect(() => read(text)).toThrow('key:value')
})

test('too many filters or alternatives are refused', () => {
  expect(() => readTagFilters(Array.from({ length: 21 }, () => 'a:b'))).toThrow('20')
  expect(() => read(Array.from({ length: 51 }, () => 'a:b').join('|'))).toThrow('50')
})
