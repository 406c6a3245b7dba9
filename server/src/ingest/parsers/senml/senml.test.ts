import { expect, test } from 'vitest'
import { createParse, catchRefusal } from '../../../../test/harness/parse.ts'

const parsePack = createParse('senml')
const parse = (pack: unknown) => parsePack(JSON.stringify(pack))
const device = 'urn:dev:ow:10e2073a01080063'

test('RFC 8428, 5.1.1: a single datapoint', () => {
  expect(parse([{ n: device, u: 'Cel', v: 23.1 }])).toEqual([[device, 23.1, undefined, 'Cel']])
})

test('RFC 8428, 5.1.2: multiple datapoints at an unspecified time', () => {
  const pack = [
    { bn: `${device}:`, n: 'voltage', u: 'V', v: 120.1 },
    { n: 'current', u: 'A', v: 1.2 },
  ]
  expect(parse(pack)).toEqual([
    [`${device}:voltage`, 120.1, undefined, 'V'],
    [`${device}:current`, 1.2, undefined, 'A'],
  ])
})

test('RFC 8428, 5.1.2: base time, base unit, and the seconds before', () => {
  const pack = [
    {
      bn: 'urn:dev:ow:10e2073a0108006:',
      bt: 1.276020076001e9,
      bu: 'A',
      bver: 5,
      n: 'voltage',
      u: 'V',
      v: 120.1,
    },
    { n: 'current', t: -5, v: 1.2 },
    { n: 'current', t: -4, v: 1.3 },
    { n: 'current', t: -3, v: 1.4 },
    { n: 'current', t: -2, v: 1.5 },
    { n: 'current', t: -1, v: 1.6 },
    { n: 'current', v: 1.7 },
  ]
  const current = 'urn:dev:ow:10e2073a0108006:current'
  // In order of time within a reading, readings in order of first sight.
  expect(parse(pack)).toEqual([
    ['urn:dev:ow:10e2073a0108006:voltage', 120.1, '2010-06-08T18:01:16.001Z', 'V'],
    [current, 1.7, '2010-06-08T18:01:16.001Z', 'A'],
    [current, 1.2, '2010-06-08T18:01:11.001Z', 'A'],
    [current, 1.3, '2010-06-08T18:01:12.001Z', 'A'],
    [current, 1.4, '2010-06-08T18:01:13.001Z', 'A'],
    [current, 1.5, '2010-06-08T18:01:14.001Z', 'A'],
    [current, 1.6, '2010-06-08T18:01:15.001Z', 'A'],
  ])
})

test('RFC 8428, 5.1.2: the beginning of a stream', () => {
  const pack = [
    { bn: device, bt: 1.320067464e9, bu: '%RH', v: 21.2 },
    { t: 10, v: 21.3 },
    { t: 20, v: 21.4 },
  ]
  expect(parse(pack)).toEqual([
    [device, 21.2, '2011-10-31T13:24:24.000Z', '%RH'],
    [device, 21.3, '2011-10-31T13:24:34.000Z', '%RH'],
    [device, 21.4, '2011-10-31T13:24:44.000Z', '%RH'],
  ])
})

const moving = [
  { bn: device, bt: 1.320067464e9, bu: '%RH', v: 20 },
  { u: 'lon', v: 24.30621 },
  { u: 'lat', v: 60.07965 },
  { t: 60, v: 20.3 },
  { u: 'lon', t: 60, v: 24.30622 },
  { u: 'lat', t: 60, v: 60.07965 },
  { t: 120, v: 20.7 },
  { u: 'lon', t: 120, v: 24.30623 },
  { u: 'lat', t: 120, v: 60.07966 },
  { u: '%EL', t: 150, v: 98 },
  { t: 180, v: 21.2 },
  { u: 'lon', t: 180, v: 24.30628 },
  { u: 'lat', t: 180, v: 60.07967 },
]

test('RFC 8428, 5.1.3: values of one name with several units are distinguished by their units', () => {
  const values = parse(moving)
  expect(values).toHaveLength(13)
  expect(values.slice(0, 3)).toEqual([
    [`${device}:%RH`, 20, '2011-10-31T13:24:24.000Z', '%RH'],
    [`${device}:lon`, 24.30621, '2011-10-31T13:24:24.000Z', 'lon'],
    [`${device}:lat`, 60.07965, '2011-10-31T13:24:24.000Z', 'lat'],
  ])
  expect(values).toContainEqual([`${device}:%EL`, 98, '2011-10-31T13:26:54.000Z', '%EL'])
})

test('RFC 8428, 5.1.4: the same resolved', () => {
  const resolved = moving.map(({ u = '%RH', t = 0, v }) => ({ n: device, u, t: 1.320067464e9 + t, v }))
  expect(parse(resolved)).toEqual(parse(moving))
})

test('RFC 8428, 5.1.5: multiple data types', () => {
  const pack = [
    { bn: `${device}:`, n: 'temp', u: 'Cel', v: 23.1 },
    { n: 'label', vs: 'Machine Room' },
    { n: 'open', vb: false },
    { n: 'nfc-reader', vd: 'aGkgCg' },
  ]
  expect(parse(pack)).toEqual([
    [`${device}:temp`, 23.1, undefined, 'Cel'],
    [`${device}:label`, 'Machine Room'],
    [`${device}:open`, false],
    [`${device}:nfc-reader`, 'aGkgCg'],
  ])
})

test('RFC 8428, 5.1.6: a collection of resources; the base time outlives the base name', () => {
  const pack = [
    { bn: '2001:db8::2/', bt: 1.320078429e9, n: 'temperature', u: 'Cel', v: 25.2 },
    { n: 'humidity', u: '%RH', v: 30 },
    { bn: '2001:db8::1/', n: 'temperature', u: 'Cel', v: 12.3 },
    { n: 'humidity', u: '%RH', v: 67 },
  ]
  const at = '2011-10-31T16:27:09.000Z'
  expect(parse(pack)).toEqual([
    ['2001:db8::2/temperature', 25.2, at, 'Cel'],
    ['2001:db8::2/humidity', 30, at, '%RH'],
    ['2001:db8::1/temperature', 12.3, at, 'Cel'],
    ['2001:db8::1/humidity', 67, at, '%RH'],
  ])
})

test('RFC 8428, 5.1.7: setting an actuator', () => {
  const heating = [
    { bn: `${device}:`, n: 'temp', u: 'Cel', v: 23.1 },
    { n: 'heat', u: '/', v: 1 },
    { n: 'fan', u: '/', v: 0 },
  ]
  expect(parse(heating).map(([name, value]) => [name, value])).toEqual([
    [`${device}:temp`, 23.1],
    [`${device}:heat`, 1],
    [`${device}:fan`, 0],
  ])
  const lights = [
    { bt: 1.320078429e9, bu: '/', n: '2001:db8::3', v: 1 },
    { n: '2001:db8::4', v: 1 },
  ]
  expect(parse(lights)).toHaveLength(2)
  const dimming = [
    { bt: 1.320078429e9, bu: '/', n: '2001:db8::3', v: 0.5 },
    { n: '2001:db8::4', v: 0.5 },
    { n: '2001:db8::3', t: 0.1, v: 0 },
    { n: '2001:db8::4', t: 0.1, v: 0 },
  ]
  expect(parse(dimming).at(-1)).toEqual(['2001:db8::4', 0, '2011-10-31T16:27:09.100Z', '/'])
})

test('times below 2**28 are relative to now [RFC 8428, 4.5.3]', () => {
  expect(parse([{ n: 'a', t: -5, v: 1 }])).toEqual([['a', 1, '-5 s']])
  expect(parse([{ n: 'a', t: 2 ** 28 - 1, v: 1 }])).toEqual([['a', 1, `${2 ** 28 - 1} s`]])
  expect(parse([{ n: 'a', t: 2 ** 28, v: 1 }])).toEqual([['a', 1, '1978-07-04T21:24:16.000Z']])
  expect(parse([{ bt: -10, n: 'a', t: 4, v: 1 }])).toEqual([['a', 1, '-6 s']])
})

test('base values and sums are added, a missing one counts as zero [RFC 8428, 4.5.4]', () => {
  expect(parse([{ bn: 'a', bv: 20, v: 1.5 }])).toEqual([['a', 21.5]])
  expect(parse([{ bv: 20 }, { n: 'a' }, { n: 'b', vs: 'x' }])).toEqual([
    ['a', 20],
    ['b', 'x'],
  ])
  expect(parse([{ n: 'power', u: 'W', v: 5, s: 100 }])).toEqual([
    ['power', 5, undefined, 'W'],
    ['power.sum', 100],
  ])
  expect(parse([{ bs: 50, n: 'power', s: 100 }])).toEqual([['power.sum', 150]])
})

test('a record may set base values alone, and unknown fields are ignored', () => {
  expect(parse([{ bn: 'a:' }, { n: 'b', v: 1, colour: 'red', ut: 5 }])).toEqual([['a:b', 1]])
})

test.each([
  ['no JSON', '[', 'not_json'],
  ['an object', {}, 'bad_format'],
  ['a record that is not an object', [5], 'bad_format'],
  ['a number as text', [{ n: 'a', v: '5' }], 'bad_format'],
  ['two values', [{ n: 'a', v: 5, vs: 'x' }], 'bad_format'],
  [
    'two versions in one pack',
    [
      { bver: 5, n: 'a', v: 1 },
      { bver: 10, n: 'b', v: 2 },
    ],
    'bad_format',
  ],
  [
    'another version than the one that the first record is of by default',
    [
      { n: 'a', v: 1 },
      { bver: 9, n: 'b', v: 2 },
    ],
    'bad_format',
  ],
  ['a version that is not a whole number', [{ bver: 1.5, n: 'a', v: 5 }], 'bad_format'],
  ['a version from the future', [{ bver: 11, n: 'a', v: 5 }], 'bad_format'],
  ['a field that must be understood', [{ n: 'a', v: 5, must_: 1 }], 'bad_format'],
  ['a number beyond doubles', '[{"n":"a","v":1e400}]', 'bad_format'],
  ['a time beyond year 9999', [{ n: 'a', t: 1e15, v: 1 }], 'bad_timestamp'],
  ['a time ages ago', [{ n: 'a', t: -1e300, v: 1 }], 'bad_timestamp'],
  ['no name', [{ v: 5 }], 'bad_name'],
  ['a name of 257 characters', [{ bn: 'a'.repeat(200), n: 'b'.repeat(57), v: 5 }], 'bad_name'],
  ['a name with a space', [{ n: 'a b', v: 5 }], 'bad_name'],
  ['a name that starts with a dash', [{ n: '-a', v: 5 }], 'bad_name'],
  [
    'one signal twice at one time',
    [
      { n: 'a', v: 5 },
      { n: 'a', v: 6 },
    ],
    'repeated_signal',
  ],
])('%s is refused', (_what, pack, reason) => {
  const payload = typeof pack === 'string' ? pack : JSON.stringify(pack)
  expect(catchRefusal(() => parsePack(payload)).reason).toBe(reason)
})

test('a record without any value is refused, and the message names it', () => {
  expect(catchRefusal(() => parse([{ n: 'a', v: 1 }, { n: 'b' }]))).toMatchObject({
    reason: 'bad_format',
    message: expect.stringContaining('Record 1'),
  })
})
