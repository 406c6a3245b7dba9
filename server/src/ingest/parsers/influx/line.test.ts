import { expect, test } from 'vitest'
import { createParse, catchRefusal } from '../../../../test/harness/parse.ts'

const parse = createParse('influx-line')

test('measurement and field make the name, tags follow in order of their keys', () => {
  expect(parse('myTable,tag1=value1,tag2=value2 fieldKey="fieldValue" 1556813561098000000')).toEqual([
    ['myTable.fieldKey,tag1=value1,tag2=value2', 'fieldValue', '2019-05-02T16:12:41.098Z'],
  ])
  expect(parse('cpu,host=a,core=0 idle=90.5,user=3')).toEqual([
    ['cpu.idle,core=0,host=a', 90.5],
    ['cpu.user,core=0,host=a', 3],
  ])
  expect(parse('cpu,core=0,host=a idle=1')).toEqual([['cpu.idle,core=0,host=a', 1]])
})

test.each([
  ['1', 1],
  ['1.0', 1],
  ['1.', 1],
  ['.5', 0.5],
  ['-1.234456e+78', -1.234456e78],
  ['1E5', 100_000],
  ['1i', 1],
  ['-12485903i', -12_485_903],
  ['9223372036854775807i', 2 ** 63],
  ['1u', 1],
  ['0009223372036854775807i', 2 ** 63],
  ['-0009223372036854775808i', -(2 ** 63)],
  ['007i', 7],
  ['000000000000000000000000i', 0],
  ['00018446744073709551615u', 2 ** 64],
  ['007.5', 7.5],
  ['18446744073709551615u', 2 ** 64],
  ['t', true],
  ['T', true],
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['f', false],
  ['F', false],
  ['false', false],
  ['False', false],
  ['FALSE', false],
  ['""', ''],
  ['"a, b = c"', 'a, b = c'],
  [String.raw`"a \"quote\" and \\ and \n"`, String.raw`a "quote" and \ and \n`],
  ['"two\nlines"', 'two\nlines'],
])('a field value %s', (text, value) => {
  expect(parse(`m f=${text} 1`)[0]!.slice(0, 2)).toEqual(['m.f', value])
})

test('escaped commas, equals signs and spaces are part of the name or value', () => {
  expect(parse(String.raw`my\ Table\,x,tag\ Key1=tag\ Value1\,2 field\=key\ 1=100`)).toEqual([
    [String.raw`my Table,x.field=key 1,tag\ Key1=tag\ Value1\,2`, 100],
  ])
  expect(parse(String.raw`a\b,t=c\d e\f="x"`)).toEqual([[String.raw`a\b.e\f,t=c\d`, 'x']])
  expect(parse('"m" "f"=1')).toEqual([['"m"."f"', 1]])
  expect(parse('wetter,ort=köln temperatur=21')).toEqual([['wetter.temperatur,ort=köln', 21]])
})

test('comments, blank lines and all line ends are accepted', () => {
  const text = '# a comment, with "quotes\n\n  \nm f=1 1000000\r\n # another\nm f=2 2000000'
  expect(parse(text)).toEqual([
    ['m.f', 1, '1970-01-01T00:00:00.001Z'],
    ['m.f', 2, '1970-01-01T00:00:00.002Z'],
  ])
  expect(parse('')).toEqual([])
})

test('quoted text may contain control characters; a zero-padded timestamp is a number; CR LF ends a line', () => {
  expect(parse('m f="a\tb\u0001" 0001000000\r\nm f=2 2000000\r')).toEqual([
    ['m.f', 'a\tb\u0001', '1970-01-01T00:00:00.001Z'],
    ['m.f', 2, '1970-01-01T00:00:00.002Z'],
  ])
  expect(parse(String.raw`m,a\,b=1,a\ b=2,a\=b=x\=y f=1`)).toEqual([
    [String.raw`m.f,a\ b=2,a\,b=1,a\=b=x\=y`, 1],
  ])
})

test.each([
  [undefined, '1556813561098000000'],
  ['ns', '1556813561098999999'],
  ['us', '1556813561098000'],
  ['ms', '1556813561098'],
])('precision %s', (precision, timestamp) => {
  expect(createParse('influx-line', { precision })(`m f=1 ${timestamp}`)[0]![2]).toBe(
    '2019-05-02T16:12:41.098Z',
  )
})

test('timestamps may have precision s and be before 1970', () => {
  expect(createParse('influx-line', { precision: 's' })('m f=1 -1')[0]![2]).toBe('1969-12-31T23:59:59.000Z')
})

test.each([
  ['no fields', 'm', 'bad_format', 'Line 1: the fields are missing'],
  ['no field value', 'm f=', 'bad_format', 'a name or value is missing where the line ends'],
  ['no equals sign', 'm f', 'bad_format', '= is missing'],
  ['an empty tag value', 'm,t= f=1', 'bad_format', 'missing'],
  ['a tag without a value', 'm,t f=1', 'bad_format', 'missing'],
  ['an open quote', 'm f="abc', 'bad_format', 'no closing quote'],
  ['text behind a quote', 'm f="a"b', 'bad_format', 'a space is missing'],
  ['an unquoted text', 'm f=abc', 'bad_format', 'abc is of no known type'],
  ['not a number', 'm f=NaN', 'bad_format', 'NaN'],
  ['infinity', 'm f=inf', 'bad_format', 'inf'],
  ['an integer beyond 64 bits', 'm f=9223372036854775808i', 'bad_value', '64 bits'],
  ['a negative unsigned integer', 'm f=-1u', 'bad_value', '64 bits'],
  ['a timestamp of words', 'm f=1 now', 'bad_timestamp', 'now'],
  ['a timestamp that is not a whole number', 'm f=1 1.5', 'bad_timestamp', '1.5'],
  ['something behind the timestamp', 'm f=1 1 2', 'bad_timestamp', '1 2'],
  ['the third line wrong', '# c\nm f=1\nm g', 'bad_format', 'Line 3'],
  ['a field twice', 'm f=1,f=2', 'repeated_signal', 'm.f'],
  ['a tag twice', 'm,a=1,b=2,a=1 f=1', 'bad_format', 'the tag a is there twice'],
  ['a control character in a measurement', 'm\u0001 f=1', 'bad_format', 'control character'],
  ['a tab in a tag', 'm,t=a\tb f=1', 'bad_format', 'control character'],
  ['a DEL in a field key', 'm f\u007f=1', 'bad_format', 'control character'],
  ['NUL in a value', 'm f=1\u0000', 'bad_format', 'control character'],
  ['a carriage return alone', 'm f=1\rm f=2', 'bad_format', 'control character'],
  ['a zero-padded integer beyond 64 bits', 'm f=0009223372036854775808i', 'bad_value', '64 bits'],
  ['a timestamp beyond 64 bits', 'm f=1 9223372036854775808', 'bad_timestamp', '64 bits'],
  ['a timestamp below 64 bits', 'm f=1 -9223372036854775809', 'bad_timestamp', '64 bits'],
  ['a comma in a tag key', 'm,a,b=1 f=1', 'bad_format', '= is missing where , is'],
  ['a space in a tag key', 'm,a b=1 f=1', 'bad_format', '= is missing'],
  ['an equals sign in a tag value', 'm,a=1=2 f=1', 'bad_format', 'the fields are missing where = is'],
  ['a space in a field key', 'm a b=1', 'bad_format', '= is missing'],
  ['an escaped end of the tags', 'm,a=b\\ f=1', 'bad_format', 'missing'],
  ['bytes that are no UTF-8', Buffer.from([0x6d, 0xff]), 'bad_format', 'UTF-8'],
])('%s is refused', (_what, payload, reason, message) => {
  const refusal = catchRefusal(() => parse(payload))
  expect(refusal.reason).toBe(reason)
  expect(refusal.message).toContain(message)
})

test('seconds that are read as nanoseconds are a time in 1970; a time beyond 9999 is refused', () => {
  const seconds = createParse('influx-line', { precision: 's' })
  expect(catchRefusal(() => seconds('m f=1 1556813561098')).reason).toBe('bad_timestamp')
})
