import { expect, test } from 'vitest'
import { encodeTelemetry } from './telemetry.ts'
import type { Signals, TelemetryOptions } from './telemetry.ts'

const nowMs = Date.parse('2026-11-21T10:00:00.123Z')
const encode = (signals: object, options: TelemetryOptions = {}) =>
  JSON.parse(encodeTelemetry('devices/d/telemetry', signals as Signals, options, nowMs).toString())

test('a message has the signals and the time of the call in milliseconds', () => {
  const signals = {
    temperature: 21.5,
    on: true,
    mode: 'auto',
    position: { x: 1 },
    samples: [1, 2],
    absent: undefined,
  }
  const { absent: _absent, ...kept } = signals
  expect(encode(signals)).toEqual({ ...kept, timestamp: '2026-11-21T10:00:00.123Z' })
})

test('accepts a time of measurement as an option or in the message', () => {
  const earlier = '2026-11-21T08:00:00+01:00'
  const expected = { t: 1, timestamp: '2026-11-21T07:00:00.000Z' }
  expect(encode({ t: 1 }, { timestamp: earlier })).toEqual(expected)
  expect(encode({ t: 1 }, { timestamp: new Date(earlier) })).toEqual(expected)
  expect(encode({ t: 1, timestamp: earlier })).toEqual(expected)
  expect(encode({ t: 1 }, { timestamp: null })).toEqual({ t: 1 })
})

test.each([
  ['NaN', { t: NaN }],
  ['infinity', { t: Infinity }],
  ['null', { t: null }],
  ['a function', { t: () => 1 }],
  ['a bigint', { t: 1n }],
  ['no signals', {}],
  ['a time alone', { timestamp: '2026-11-21T10:00:00Z' }],
  ['an array', [1]],
])('refuses %s', (_name, signals) => {
  expect(() => encode(signals)).toThrow(expect.objectContaining({ code: 'invalid_message' }))
})

test('refuses an invalid time, and values that JSON cannot represent', () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  const invalid = expect.objectContaining({ code: 'invalid_message' })
  expect(() => encode({ t: 1 }, { timestamp: 'noon' })).toThrow(invalid)
  expect(() => encode({ t: circular })).toThrow(invalid)
})

// [docs/mqtt#limits]
test('refuses a message over 1 MB, with its size in the error', () => {
  expect(encode({ text: 'x'.repeat(999_900) }).text).toHaveLength(999_900)
  const tooLarge = { code: 'message_too_large', message: expect.stringContaining('1000') }
  expect(() => encode({ text: 'x'.repeat(1_000_000) })).toThrow(expect.objectContaining(tooLarge))
})
