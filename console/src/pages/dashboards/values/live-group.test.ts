import type { TelemetryEvent } from '@gangway/client'
import { expect, test } from 'vitest'
import { wrapSamples } from '../../../charts/samples/samples.ts'
import type { SignalSamples } from '../../explore/query-signals.ts'
import { parseSignal } from '../../explore/signal.ts'
import { groupKey } from './history.ts'
import { addValues, indexSamples, readLiveMs } from './live-group.ts'

const HOUR_MS = 3_600_000
const startMs = Math.floor(Date.now() / 1000) * 1000 - 60_000

const read = (bucketMs?: number): SignalSamples[] => [
  {
    signal: parseSignal('pump/-/telemetry/flow')!,
    samples: wrapSamples({ times: Float64Array.of(startMs), values: Float64Array.of(0) }),
    bucketMs,
    isCut: false,
  },
]
const value = (index: number, isFirst = false) => ({
  isFirst,
  event: {
    assetId: 'pump',
    componentId: null,
    timeseriesType: 'telemetry',
    timeseriesName: 'flow',
    value: index,
    time: new Date(startMs + index * 100).toISOString(),
  } as TelemetryEvent,
})
const list = ([first]: SignalSamples[]) => [...first!.samples.values.subarray(0, first!.samples.length)]

test('values that came while a history was read follow it, each once', () => {
  const found = read()
  expect(addValues(indexSamples(found), [value(0), value(1), value(2)], HOUR_MS)).toBe(false)
  addValues(indexSamples(found), [value(2), value(3)], HOUR_MS)
  expect(list(found)).toEqual([0, 1, 2, 3])
})

test('only single samples may lack values before the last known one', () => {
  expect(addValues(indexSamples(read()), [value(5, true)], HOUR_MS)).toBe(true)
  expect(addValues(indexSamples(read(60_000)), [value(5, true)], HOUR_MS)).toBe(false)
  expect(addValues(indexSamples(read()), [value(-100_000, true)], HOUR_MS)).toBe(false)
})

test('only histories up to now that are not compared take live values', () => {
  const asked = {
    timeRange: { kind: 'last', span: '1h' },
    aggregation: 'auto',
    isBefore: false,
    interval: undefined,
  } as const
  expect(readLiveMs(groupKey(asked))).toBe(HOUR_MS)
  expect(readLiveMs(groupKey({ ...asked, isBefore: true }))).toBeUndefined()
  expect(readLiveMs(groupKey({ ...asked, timeRange: { kind: 'fixed', fromMs: 0, toMs: 1 } }))).toBeUndefined()
})
