import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readValue, writeValue } from './value-text.ts'

test.each([
  ['stable', 'stable'],
  ['1.4', 1.4],
  ['"1.4"', '1.4'],
  ['{"a":[null]}', { a: [null] }],
  ['{broken', '{broken'],
  ['', ''],
])('%s is read as %j', (text, value) => expect(readValue(text)).toEqual(value))

test('each JSON value is read as it was written', () =>
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(readValue(writeValue(value))).toEqual(read(value))
    }),
  ))

/** What JSON makes of a value, such as 0 of -0. */
const read = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown
