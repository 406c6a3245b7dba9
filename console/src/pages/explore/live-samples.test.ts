import type { TelemetryEvent } from '@gangway/client'
import { expect, test } from 'vitest'
import { wrapSamples } from '../../charts/samples/samples.ts'
import { applyValue } from './live-samples.ts'
import type { SignalSamples } from './query-signals.ts'
import { parseSignal } from './signal.ts'

const HOUR_MS = 3_600_000
const startMs = Math.floor(Date.now() / 1000) * 1000 - 60_000

const readSamples = (count: number, bucketMs?: number): SignalSamples => ({
  signal: parseSignal('pump/-/telemetry/flow')!,
  samples: wrapSamples({
    times: Float64Array.from({ length: count }, (_, index) => startMs + index * 100),
    values: Float64Array.from({ length: count }, (_, index) => index),
  }),
  bucketMs,
  isCut: false,
})
const event = (index: number, value: unknown = index) =>
  ({ value, time: new Date(startMs + index * 100).toISOString() }) as TelemetryEvent
const apply = (found: SignalSamples, index: number, { isFirst = false, value = index as unknown } = {}) =>
  applyValue(found, { event: event(index, value), isFirst }, HOUR_MS)
const list = ({ samples }: SignalSamples) => [...samples.values.subarray(0, samples.length)]

test('values that are added again are there once', () => {
  const found = readSamples(3)
  for (const index of [1, 2, 3, 4, 3]) expect(apply(found, index)).toBe(false)
  expect(list(found)).toEqual([0, 1, 2, 3, 4])
})

test('a last known value that the answer lacks says that others may be missing before it', () => {
  expect(apply(readSamples(3), 2, { isFirst: true })).toBe(false)
  const found = readSamples(3)
  expect(apply(found, 6, { isFirst: true })).toBe(true)
  expect(list(found)).toEqual([0, 1, 2, 6])
  expect(apply(readSamples(0), 6, { isFirst: true })).toBe(true)
})

test('a last known value from before the shown time lacks nothing', () => {
  expect(apply(readSamples(0), -100 * HOUR_MS, { isFirst: true })).toBe(false)
})

test('buckets, and values that are no numbers any more, are read again', () => {
  expect(apply(readSamples(3, 60_000), 4)).toBe(true)
  expect(apply(readSamples(3), 4, { value: 'off' })).toBe(true)
})
