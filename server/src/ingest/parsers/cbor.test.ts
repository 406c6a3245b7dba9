import { encode } from 'cborg'
import { expect, test } from 'vitest'
import { createParse, catchRefusal } from '../../../test/harness/parse.ts'

const parseBytes = createParse('cbor')
const parse = (hex: string) => parseBytes(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
/** {"v": <item>} */
const parseItem = (item: string) => parse(`a1 6176 ${item}`)[0]![1]

test('a map of names and values has its timestamp as text or as a time', () => {
  const fields = { temperature: 21.5, open: true, mode: 'auto', position: { lat: 1 }, list: [1, 'a'] }
  expect(parseBytes(encode({ ...fields, timestamp: '2026-01-31T08:00:00Z' }))).toEqual(
    Object.entries(fields)
      .toSorted(([a], [b]) => a.length - b.length || a.localeCompare(b))
      .map(([name, value]) => [name, value, '2026-01-31T08:00:00.000Z']),
  )
  // {"timestamp": 1(1363896240.5), "a": 1}
  expect(parse('a2 6974696d657374616d70 c1fb41d452d9ec200000 6161 01')).toEqual([
    ['a', 1, '2013-03-21T20:04:00.500Z'],
  ])
})

test.each([
  ['an integer', '1903e8', 1000],
  ['a negative integer', '3903e7', -1000],
  ['a 64-bit integer', '1b000000e8d4a51000', 1e12],
  ['the largest', '1bffffffffffffffff', 2 ** 64],
  ['a half float', 'f93e00', 1.5],
  ['a bignum', 'c249010000000000000000', 2 ** 64],
  ['a negative bignum', 'c349010000000000000000', -(2 ** 64) - 1],
  ['a decimal fraction', 'c48221196ab3', 273.15],
  ['bytes', '4401020304', 'AQIDBA=='],
  ['a date as text', 'c074323031332d30332d32315432303a30343a30305a', '2013-03-21T20:04:00Z'],
  ['a date as number', 'c11a514b67b0', '2013-03-21T20:04:00.000Z'],
  ['undefined', 'f7', null],
  ['null', 'f6', null],
  ['an array without a length', '9f 01 02 ff', [1, 2]],
  ['self-described CBOR', 'd9d9f7 01', 1],
])('%s', (_what, item, value) => {
  expect(parseItem(item)).toEqual(value)
})

test('integer keys become text, and __proto__ is an ordinary name', () => {
  expect(parse('a2 01 02 20 03')).toEqual([
    ['1', 2],
    ['-1', 3],
  ])
  expect(parseItem('a1 695f5f70726f746f5f5f a1 6161 01')).toEqual(JSON.parse('{"__proto__": {"a": 1}}'))
})

test.each([
  ['nothing', '', 'bad_format'],
  ['an array', '8101', 'not_an_object'],
  ['a map cut off', 'a2 6161 01', 'bad_format'],
  ['a text that is longer than the payload', 'a1 7affffffff 61', 'bad_format'],
  ['an array that is longer than the payload', 'a1 6161 9affffffff 01', 'bad_format'],
  ['something behind the map', 'a1 6161 01 00', 'bad_format'],
  ['a key twice', 'a2 6161 01 6161 02', 'bad_format'],
  ['a key twice, as number and text', 'a2 01 02 6131 03', 'bad_format'],
  ['an array as key', 'a1 80 01', 'bad_format'],
  ['a lone break', 'ff', 'bad_format'],
  ['text in pieces', 'a1 6161 7f 6161 6162 ff', 'bad_format'],
  ['text that is no UTF-8', 'a1 6161 61ff', 'bad_value'],
  ['a name that is no UTF-8', 'a1 61ff 01', 'bad_value'],
  ['a reserved length', 'a1 6161 1c', 'bad_format'],
  ['a tag that is not known', 'a1 6161 d825 01', 'bad_format'],
  ['a bignum of text', 'a1 6161 c2 6161', 'bad_format'],
  ['a decimal fraction of one number', 'a1 6161 c4 8101', 'bad_format'],
  ['a time of text', 'a1 6161 c1 6161', 'bad_format'],
  ['a time beyond year 9999', 'a1 6161 c1 fb7e37e43c8800759c', 'bad_timestamp'],
])('%s is refused', (_what, hex, reason) => {
  expect(catchRefusal(() => parse(hex)).reason).toBe(reason)
})

test('arrays nested as deeply as a payload can hold are refused', () => {
  const nested = (levels: number) => `a1 6161 ${'81'.repeat(levels)} 01`
  expect(parse(nested(64))).toHaveLength(1)
  expect(catchRefusal(() => parse(nested(66))).reason).toBe('bad_value')
  expect(catchRefusal(() => parse(nested(30_000))).reason).toBe('bad_value')
  expect(catchRefusal(() => parse(`a1 6161 ${'c1'.repeat(30_000)} 01`)).reason).toBe('bad_value')
})

const count = (number: number) => number.toString(16).padStart(8, '0')

test.each([
  ['lists', 31_996, '80'],
  ['maps with a key each', 15_998, 'a100f6'],
  ['texts', 31_996, '60'],
  ['byte strings', 31_996, '4101'],
  ['tags', 15_998, 'c24101'],
])('up to 32,000 parts are decoded, of %s', (_what, most, item) => {
  // The map, its key, the text of the key and the list are four of them.
  const message = (items: number) => `a1 6161 9a ${count(items)} ${item.repeat(items)}`
  expect(parse(message(most))).toHaveLength(1)
  expect(catchRefusal(() => parse(message(most + 1))).reason).toBe('too_much_work')
})

test('320,000 numbers are decoded; those that may be keys of a map of unknown length count as parts', () => {
  const list = (length: number) => `a1 6161 9a ${count(length)} ${'00'.repeat(length)}`
  expect(parse(list(320_000))).toHaveLength(1)
  expect(catchRefusal(() => parse(list(320_001))).reason).toBe('too_much_work')
  const numbers = '00'.repeat(32_000)
  expect(catchRefusal(() => parse(`a1 6161 bf ${numbers} ff`)).reason).toBe('too_much_work')
})
