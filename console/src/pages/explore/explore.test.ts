import { expect, test } from 'vitest'
import type { Samples } from '../../charts/samples/samples.ts'
import { joinEnvelope, joinStates, readSamples } from './read-samples.ts'
import { chooseInterval, chooseResolution } from './resolution.ts'
import { chooseReloadMs } from './use-signals.ts'
import { groupByOwner, labelSignal, parseSignal, signalList } from './signal.ts'

test('signals stand in the address as the platform names them', () => {
  const { parse, format } = signalList()
  const ids = ['pump-7/-/telemetry/temperature', 'pump,8%/motor/property/a/b']
  const signals = ids.map((id) => parseSignal(id)!)
  expect(parse(format(signals))).toEqual(signals)
  expect(signals[1]).toMatchObject({
    ownerId: 'pump,8%',
    componentId: 'motor',
    kind: 'property',
    name: 'a/b',
  })
  expect(parse('nothing,a/b/c/d')).toEqual([])
  expect([...groupByOwner(signals).keys()]).toEqual(['pump-7', 'pump,8%'])
  expect(labelSignal(signals[0]!, signals)).toBe('pump-7 · temperature')
})

test('readings that values cause stay within the share of the account, however many requests one of them takes', () => {
  const ids = ['pump-7/-/telemetry/temperature', 'pump-8/-/telemetry/level', 'pump-9/-/telemetry/flow']
  const hourly = (count: number, limit: number) => {
    const signals = ids.slice(0, count).map((id) => parseSignal(id)!)
    return (count * 3_600_000) / chooseReloadMs(signals, limit)
  }
  expect([1, 2, 3].map((count) => hourly(count, 1000))).toEqual([400, 400, 400])
  // An account with many requests is not asked more often than every five seconds.
  expect(hourly(1, 100_000)).toBe(720)
})

test('there are never more buckets than pixels', () => {
  expect(chooseInterval(365 * 86_400_000, 1100)).toBe('PT12H')
  expect(chooseInterval(86_400_000, 1100)).toBe('PT2M')
})

test('short times are shown sample by sample, long ones as an envelope', () => {
  const options = { aggregation: 'auto', interval: 'auto', width: 1000 } as const
  expect(chooseResolution({ ...options, spanMs: 3_600_000 })).toEqual({ kind: 'raw' })
  expect(chooseResolution({ ...options, spanMs: 86_400_000 })).toEqual({ kind: 'envelope', interval: 'PT2M' })
  expect(chooseResolution({ ...options, aggregation: 'max', spanMs: 1 })).toEqual({
    kind: 'single',
    type: 'max',
    interval: 'PT1S',
  })
})

test.each([
  '2026-11-22T08:09:10.123Z',
  '1969-12-31T23:59:59.999Z',
  '2024-02-29T00:00:00.000Z',
  '+012026-01-01T00:00:00.000Z',
])('the time %s is read exactly', (timestamp) => {
  expect(readSamples([{ value: 1, timestamp }]).times[0]).toBe(Date.parse(timestamp))
})

test('null is a gap, and what is no number is a state', () => {
  const points = [1, null, 2].map((value, index) => ({ value, timestamp: `2026-11-22T08:00:0${index}.000Z` }))
  expect([...readSamples(points).values]).toEqual([1, 2])
  const states = readSamples(
    [true, 'on', { a: 1 }, true].map((value, index) => ({
      value,
      timestamp: `2026-11-22T08:00:0${index}.000Z`,
    })),
  )
  expect(states.states).toEqual(['true', 'on', '{"a":1}'])
  expect([...states.values]).toEqual([0, 1, 2, 0])
})

test('a bucket with more than one state says so, though its last state is another', () => {
  const points = (values: unknown[]) =>
    readSamples(values.map((value, index) => ({ value, timestamp: `2026-11-22T08:00:0${index}.000Z` })))
  const read = ({ states, values }: Samples) => Array.from(values, (value) => states![value])
  const none = points([])
  expect(read(joinStates(points([false, true, false]), points([0, 1, 0.1]), none, none))).toEqual([
    'false',
    'true',
    'false … true',
  ])
  const [least, greatest] = [points(['idle', 'idle']), points(['idle', 'running'])]
  expect(read(joinStates(points(['idle', 'idle']), none, least, greatest))).toEqual([
    'idle',
    'idle … running',
  ])
})

test('an envelope joins the buckets by their times', () => {
  const point = (minute: number, value: number) => ({ value, timestamp: `2026-11-22T08:0${minute}:00.000Z` })
  const samples = joinEnvelope(
    readSamples([point(0, 5), point(1, 6)]),
    readSamples([point(0, 1), point(1, 2)]),
    readSamples([point(0, 9), point(1, 8)]),
  )
  expect([...samples.least!]).toEqual([1, 2])
  expect([...samples.greatest!]).toEqual([9, 8])
})
