import { expect, test } from 'vitest'
import { createParse, catchRefusal } from '../../../../test/harness/parse.ts'
import {
  dsmr22,
  dsmr42,
  dsmr50,
  easyMeterQ3D,
  landisGyrE350,
  sagemcomT210,
} from '../../../../test/harness/telegrams.ts'

const parse = createParse('obis')
const parseValues = (telegram: string) =>
  new Map(parse(telegram).map(([name, ...rest]) => [name, rest] as const))

test('DSMR 5.0: values have units and the time of the telegram, gas its own time', () => {
  const values = parseValues(dsmr50)
  const at = '2017-01-02T18:20:02.000Z'
  expect(values.get('1-0:1.8.1')).toEqual([4.426, at, 'kWh'])
  expect(values.get('1-0:32.7.0')).toEqual([230, at, 'V'])
  expect(values.get('0-0:96.14.0')).toEqual([2, at])
  expect(values.get('0-1:24.2.1')).toEqual([0.107, '2017-01-02T15:10:05.000Z', 'm3'])
  expect(values.get('0-0:96.1.1')).toEqual(['4B384547303034303436333935353037', at])
  expect(values.get('1-3:0.2.8')).toEqual(['50', at])
  expect(values.has('0-0:1.0.0')).toBe(false)
  expect(values.has('0-0:96.13.0')).toBe(false)
  expect(values.has('0-2:96.1.0')).toBe(false)
  expect(values.size).toBe(34)
})

test('DSMR 4.2: an identity of digits alone stays text; each power failure has its own time', () => {
  const values = parse(dsmr42)
  expect(values).toContainEqual([
    '0-0:96.1.1',
    '3960221976967177082151037881335713',
    '2016-11-13T19:57:57.000Z',
  ])
  expect(values.filter(([name]) => name === '1-0:99.97.0')).toEqual([
    ['1-0:99.97.0', 3, '2016-11-13T19:57:57.000Z'],
  ])
  expect(values.filter(([name]) => name === '0-0:96.7.19')).toEqual([
    ['0-0:96.7.19', 237126, '2000-01-04T17:03:20.000Z', 's'],
    ['0-0:96.7.19', 2147583646, '1999-12-31T23:00:01.000Z', 's'],
    ['0-0:96.7.19', 2317482647, '2000-01-01T23:00:03.000Z', 's'],
  ])
})

test('DSMR 2.2: a telegram without time and CRC, with gas in the old form, is read', () => {
  const values = parseValues(dsmr22)
  expect(values.get('1-0:1.8.1')).toEqual([1.001, undefined, 'kWh'])
  expect(values.get('0-1:24.2.1')).toEqual([1.001, undefined, 'm3'])
  expect(values.get('0-1:24.4.0')).toEqual([1])
  expect(values.has('0-1:24.3.0')).toBe(false)
})

test('S is an hour further from UTC than W, whose distance is utcOffsetMinutes', () => {
  expect(parseValues(sagemcomT210).get('1-0:1.8.0')).toEqual([6545766, '2022-10-06T13:50:14.000Z', 'Wh'])
  const finnish = createParse('obis', { utcOffsetMinutes: 120 })
  expect(finnish(sagemcomT210)[0]![2]).toBe('2022-10-06T12:50:14.000Z')
})

test('an IEC 62056-21 readout of a real meter is read, with its BCC', () => {
  const values = parseValues(landisGyrE350)
  expect(values.get('1.8.0')).toEqual([61561.289, undefined, 'kWh'])
  expect(values.get('31.7')).toEqual([0.35, undefined, 'A'])
  expect(values.get('82.8.1')).toEqual([0])
  expect(values.get('0.0')).toEqual(['120858'])
  expect(values.get('F.F')).toEqual(['00'])
  expect(values.get('0.2.0')).toEqual(['M26'])
  expect(values.has('C.1.1')).toBe(false)
})

test('the suffix *255 is removed from names', () => {
  const values = parseValues(easyMeterQ3D)
  expect(values.get('1-0:1.8.0')).toEqual([32549.5061662, undefined, 'kWh'])
  expect(values.get('1-0:0.0.0')).toEqual(['1336001560'])
})

const bare = (...lines: string[]) => `/XXX5X\r\n\r\n${lines.join('\r\n')}\r\n!\r\n`

test('lines may have several data sets, and these several values; previous values keep their suffix', () => {
  expect(
    parse(bare('1.8.0(1*kWh)2.8.0(2*kWh)', '1.6.1(02.98*kW)(10-12-28 12:00)', '1.8.0*01(0.5*kWh)')),
  ).toEqual([
    ['1.8.0', 1, undefined, 'kWh'],
    ['2.8.0', 2, undefined, 'kWh'],
    ['1.6.1', 2.98, undefined, 'kW'],
    ['1.6.1#2', '10-12-28 12:00'],
    ['1.8.0*01', 0.5, undefined, 'kWh'],
  ])
})

test('peaks of a Belgian meter have the time of each peak', () => {
  const history =
    '0-0:98.1.0(2)(1-0:1.6.0)(1-0:1.6.0)(230201000000W)(230117224500W)(04.329*kW)(230301000000W)(230214224500W)(04.529*kW)'
  expect(parse(bare('1-0:1.6.0(230302164500W)(03.100*kW)', history))).toEqual([
    ['1-0:1.6.0', 3.1, '2023-03-02T15:45:00.000Z', 'kW'],
    ['0-0:98.1.0', 2],
    ['1-0:1.6.0', 4.329, '2023-01-17T21:45:00.000Z', 'kW'],
    ['1-0:1.6.0', 4.529, '2023-02-14T21:45:00.000Z', 'kW'],
  ])
})

test('the value of an M-Bus device that never answered is omitted', () => {
  expect(parse(bare('0-1:24.1.0(003)', '0-1:24.2.1(632525252525S)(00000.000*m3)'))).toEqual([
    ['0-1:24.1.0', 3],
  ])
})

/** A telegram whose CRC begins with a zero. */
const crcWithZero = () => {
  for (let filler = 0; ; filler++) {
    const telegram = `/XXX5X\r\n\r\n1.8.0(${filler}*kWh)\r\n!`
    const found = /CRC is FFFF, but the telegram's bytes make (\w{4})/.exec(
      catchRefusal(() => parse(`${telegram}FFFF\r\n`)).message,
    )![1]!
    if (found.startsWith('0') && !found.startsWith('00')) return { telegram, crc: found.slice(1) }
  }
}

test('a CRC without its leading zero is checked as if it had it', () => {
  const { telegram, crc } = crcWithZero()
  expect(parse(`${telegram}${crc}\r\n`)).toEqual(parse(`${telegram}0${crc}\r\n`))
  const wrong = crc.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
  expect(catchRefusal(() => parse(`${telegram}${wrong}\r\n`)).message).toContain('within the CRC')
})

test('bytes after the end mark that are no telegram are ignored', () => {
  for (const trailing of ['\u0000', ' \r\n\r\n\u0000\u0000', '~x\r\n', '\r\n5\r\n'])
    expect(parse(easyMeterQ3D.trimEnd() + trailing)).toEqual(parse(easyMeterQ3D))
  expect(parse(Buffer.concat([Buffer.from(easyMeterQ3D), Buffer.of(0xff, 0x80)]))).toEqual(
    parse(easyMeterQ3D),
  )
})

test("a gas timestamp without S or W is in the meter's time zone; without a zone it is ignored", () => {
  const inZone = createParse('obis', { timeZone: 'Europe/Amsterdam' })
  expect(inZone(dsmr22)).toContainEqual(['0-1:24.2.1', 1.001, '2016-11-07T18:00:00.000Z', 'm3'])
  const gas = (time: string) => bare(`0-1:24.2.1(${time})(00001.001*m3)`)
  expect(inZone(gas('160707190000'))).toEqual([['0-1:24.2.1', 1.001, '2016-07-07T17:00:00.000Z', 'm3']])
  // A repeated hour is read as the earlier one; a skipped one as if the clock had not been changed.
  expect(inZone(gas('161030023000'))[0]![2]).toBe('2016-10-30T00:30:00.000Z')
  expect(inZone(gas('160327023000'))[0]![2]).toBe('2016-03-27T01:30:00.000Z')
  expect(parse(gas('160707190000'))).toEqual([['0-1:24.2.1', 1.001, undefined, 'm3']])
  expect(catchRefusal(() => inZone(gas('160732190000'))).reason).toBe('bad_timestamp')
  expect(() => createParse('obis', { timeZone: 'Mars/Olympus' })).toThrow(
    expect.objectContaining({
      details: { issues: [{ path: 'options.timeZone', message: expect.stringContaining('IANA') }] },
    }),
  )
})

test('a readout without STX, ETX and BCC, or with line ends of one character, is still read', () => {
  const stripped = landisGyrE350.replace('\x02', '').slice(0, -2)
  expect(parse(stripped)).toEqual(parse(landisGyrE350))
  expect(parse(dsmr22.replaceAll('\r', ''))).toEqual(parse(dsmr22))
})

test.each([
  ['a wrong CRC', dsmr50.replace('!6EEE', '!6EEF'), 'bad_checksum', 'The CRC is 6EEF'],
  ['a flipped bit', dsmr50.replace('000004.426', '000005.426'), 'bad_checksum', 'The CRC is 6EEE'],
  ['a flipped bit under a BCC', landisGyrE350.replace('042951', '042950'), 'bad_checksum', 'The BCC is 01'],
  ['a telegram cut off in its data', dsmr50.slice(0, 300), 'bad_format', 'cut off'],
  ['a telegram cut off in its CRC', dsmr50.slice(0, -4), 'bad_format', 'cut off'],
  ['a telegram cut off before its CRC', dsmr50.slice(0, -6), 'bad_format', 'cut off'],
  ['a readout cut off before its BCC', landisGyrE350.slice(0, -1), 'bad_format', 'cut off'],
  ['two telegrams', dsmr50 + dsmr50, 'bad_format', 'one telegram a message'],
  ['two readouts', landisGyrE350 + landisGyrE350, 'bad_format', 'one telegram a message'],
  [
    'parity bits',
    Buffer.from(dsmr22).map((byte, index) => (index === 20 ? byte | 128 : byte)),
    'bad_format',
    'parity',
  ],
  ['no telegram at all', '{"a": 1}', 'bad_format', 'cut off'],
  ['nothing', '', 'bad_format', 'cut off'],
  [
    'a bracket that is not closed',
    bare('1.8.0(1*kWh', '2.8.0(1*kWh)'),
    'bad_format',
    '1.8.0(1*kWh is no data set',
  ],
  ['a value without a code', bare('(1*kWh)'), 'bad_format', 'is no data set'],
  ['a date that does not exist', bare('0-0:1.0.0(230230120000W)'), 'bad_timestamp', '230230120000W'],
  ['25,001 values', bare(`1.8.0${'(210101120000S)'.repeat(25_001)}`), 'too_many_signals', 'Divide it'],
  ['a code twice', bare('1.8.0(1*kWh)', '1.8.0(2*kWh)'), 'repeated_signal', '1.8.0'],
])('%s is refused', (_what, telegram, reason, message) => {
  const refusal = catchRefusal(() => parse(telegram))
  expect(refusal.reason).toBe(reason)
  expect(refusal.message).toContain(message)
})
