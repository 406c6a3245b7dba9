import { expect, test } from 'vitest'
import { createParse, catchRefusal } from '../../../test/harness/parse.ts'

const parseText = createParse('structured-metrics')
const parse = (payload: unknown) => parseText(JSON.stringify(payload))

test('metrics with the same time become one reading; without a timestamp they have the time of arrival', () => {
  const timestamp = '2026-01-31T09:00:00+01:00'
  const metrics = [
    { name: 'temperature', value: 21.5, timestamp, unit: 'Cel' },
    { name: 'open', value: true },
    { name: 'humidity', value: 40, timestamp },
    { name: 'position', value: { lat: 1, lon: 2 } },
    { name: '__proto__', value: 'own' },
  ]
  expect(parse({ metrics })).toEqual([
    ['temperature', 21.5, '2026-01-31T08:00:00.000Z', 'Cel'],
    ['humidity', 40, '2026-01-31T08:00:00.000Z'],
    ['open', true],
    ['position', { lat: 1, lon: 2 }],
    ['__proto__', 'own'],
  ])
})

test.each([
  ['an array', [], 'not_an_object'],
  ['no metrics', {}, 'bad_format'],
  ['metrics as an object', { metrics: {} }, 'bad_format'],
  ['a metric that is null', { metrics: [null] }, 'bad_format'],
  ['no name', { metrics: [{ value: 1 }] }, 'bad_format'],
  ['a number as name', { metrics: [{ name: 1, value: 1 }] }, 'bad_format'],
  ['no value', { metrics: [{ name: 'a' }] }, 'bad_format'],
  ['a number as unit', { metrics: [{ name: 'a', value: 1, unit: 1 }] }, 'bad_format'],
  ['a Unix time', { metrics: [{ name: 'a', value: 1, timestamp: 1_700_000_000 }] }, 'bad_timestamp'],
  [
    'a date that does not exist',
    { metrics: [{ name: 'a', value: 1, timestamp: '2026-02-30' }] },
    'bad_timestamp',
  ],
  [
    'a name twice',
    {
      metrics: [
        { name: 'a', value: 1 },
        { name: 'a', value: 1 },
      ],
    },
    'repeated_signal',
  ],
])('%s is refused', (_what, payload, reason) => {
  expect(catchRefusal(() => parse(payload)).reason).toBe(reason)
})

test('10,000 signals are read, 10,001 are not', () => {
  const metrics = Array.from({ length: 10_001 }, (_, index) => ({ name: `s${index}`, value: index }))
  expect(parse({ metrics: metrics.slice(1) })).toHaveLength(10_000)
  expect(catchRefusal(() => parse({ metrics })).reason).toBe('too_many_signals')
})
