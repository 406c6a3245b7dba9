import { expect, test } from 'vitest'
import { bindSignals } from '../board/signals.ts'
import { wrapSamples } from '../../../charts/samples/samples.ts'
import { splitSignals } from '../../explore/query-signals.ts'
import {
  chooseHistory,
  countRequests,
  groupNeeds,
  readingRange,
  readInterval,
  readPeriod,
  readWhole,
  shiftSamples,
  spanMs,
  takesLiveValues,
} from './history.ts'
import { chooseReloadMs, isSlowed } from './reading-plan.ts'

const signals = (...assets: string[]) =>
  bindSignals(
    assets.map((assetId) => ({ assetId, name: 't' })),
    {},
  )
const hour = { kind: 'last', span: '1h' } as const
const week = { kind: 'last', span: '7d' } as const

test('widgets with the same range and aggregation share a query', () => {
  const groups = groupNeeds([
    { signals: signals('a', 'b'), timeRange: hour, aggregation: 'auto', isBefore: false },
    { signals: signals('b', 'c'), timeRange: hour, aggregation: 'auto', isBefore: false },
    { signals: signals('b'), timeRange: week, aggregation: 'auto', isBefore: false },
  ])
  expect(groups.map((group) => [group.owners, group.signals.length])).toEqual([
    [3, 3],
    [1, 1],
  ])
})

test('an envelope is read for few assets, and the mean for many', () => {
  const [few] = groupNeeds([{ signals: signals('a'), timeRange: week, aggregation: 'auto', isBefore: false }])
  const choose = (changed: object, lengthMs = 7 * 86_400_000) =>
    chooseHistory({ ...few!, ...changed }, lengthMs).resolution
  expect(choose({}).kind).toBe('envelope')
  expect(choose({ owners: 40 })).toMatchObject({ kind: 'single', type: 'avg' })
  expect(choose({ aggregation: 'states' })).toMatchObject({ type: 'last' })
  expect(choose({}, 3_600_000)).toEqual({ kind: 'raw' })
})

test('very many signals are read in fewer buckets, and never one by one', () => {
  const assets = Array.from({ length: 500 }, (_, index) => `a${index}`)
  const [many] = groupNeeds([
    { signals: signals(...assets), timeRange: hour, aggregation: 'auto', isBefore: false },
  ])
  expect(chooseHistory(many!, 3_600_000)).toEqual({
    resolution: { kind: 'single', type: 'avg', interval: 'PT30S' },
    width: 120,
  })
})

test('assets with the same signals share requests, of 100 assets at most', () => {
  const assets = Array.from({ length: 250 }, (_, index) => `a${index}`)
  const [many] = groupNeeds([
    { signals: signals(...assets), timeRange: hour, aggregation: 'auto', isBefore: false },
  ])
  expect(countRequests(many!)).toBe(3)
  const other = bindSignals([{ assetId: 'a1', name: 'other' }], {})
  expect(
    splitSignals([...signals('a0', 'a1', 'a2'), ...other]).map((part) => part.map(({ id }) => id)),
  ).toEqual([
    ['a0/-/telemetry/t', 'a2/-/telemetry/t'],
    ['a1/-/telemetry/t', 'a1/-/telemetry/other'],
  ])
})

test('boards are read as often as the limit of the account allows, and at most once a minute', () => {
  const hourly = (requests: number, limit: number) => (requests * 3_600_000) / chooseReloadMs(requests, limit)
  expect([chooseReloadMs(0, 1000), chooseReloadMs(6, 1000)]).toEqual([60_000, 60_000])
  expect(hourly(40, 1000)).toBeLessThanOrEqual(400)
  expect(hourly(40, 10_000)).toBe(2400)
  expect([6, 40].map((requests) => isSlowed(chooseReloadMs(requests, 1000)))).toEqual([false, true])
})

test('bars have one value for the whole time, and no live value is added to an aggregate', () => {
  const [bars] = groupNeeds([
    { signals: signals('a'), timeRange: hour, aggregation: 'whole median', isBefore: false },
  ])
  expect(readWhole(bars!.aggregation)).toBe('median')
  expect(chooseHistory(bars!, 3_600_000).resolution).toEqual({ kind: 'whole', type: 'median' })
  const aggregations = ['auto', 'raw', 'states', 'sum', 'avg', 'whole avg'] as const
  const takes = (aggregation: (typeof aggregations)[number], isBefore: boolean) =>
    takesLiveValues({ timeRange: hour, aggregation, isBefore })
  expect(aggregations.filter((one) => takes(one, false))).toEqual(['auto', 'raw', 'states'])
  expect(aggregations.filter((one) => takes(one, true))).toEqual([])
})

test('the time before ends where the present one begins, and is moved onto it', () => {
  const now = Date.parse('2026-11-22T12:00:00Z')
  const fixed = { kind: 'fixed', fromMs: now - 1000, toMs: now } as const
  const read = (timeRange: typeof fixed | typeof hour, isBefore: boolean) =>
    readingRange({ timeRange, aggregation: 'auto', isBefore }, now)
  expect(read(fixed, true)).toEqual({ from: now - 2000, to: now - 1000 })
  expect(read(fixed, false)).toEqual({ from: now - 1000, to: now })
  expect(read(hour, true)).toEqual({ from: now - 7_200_000, to: now - 3_600_000 })
  const samples = wrapSamples({ times: Float64Array.of(now - 2000), values: Float64Array.of(7) })
  const [shifted] = shiftSamples(
    [{ signal: signals('a')[0]!, samples, bucketMs: undefined, isCut: false }],
    1000,
  )
  expect([shifted!.samples.times[0], shifted!.samples.values[0]]).toEqual([now - 1000, 7])
})

test('a period of a widget has its own length', () => {
  const lengths = ['PT1H', 'P1W', 'PT90M', 'PT2H', 'PT30S', 'P1M', 'P1DT12H'].map(readPeriod)
  const hours = [1, 168, 1.5, 2, 1 / 120, 720, 36]
  expect(lengths).toEqual(hours.map((length) => ({ kind: 'last', lengthMs: length * 3_600_000 })))
  expect(['soon', undefined, 'PT0H', 'P', 'PT', 5].map(readPeriod)).toEqual(
    Array.from({ length: 6 }, () => undefined),
  )
  expect(spanMs(readPeriod('P9999Y')!)).toBe(3650 * 86_400_000)
})

test('the buckets of a widget have the interval that it names, or the next longer one', () => {
  expect(['PT15M', 'PT7M', 'P1Y', 'soon'].map(readInterval)).toEqual(['PT15M', 'PT10M', 'P1M', undefined])
  const need = { signals: signals('a'), timeRange: hour, aggregation: 'auto', isBefore: false } as const
  const [automatic, chosen] = groupNeeds([need, { ...need, interval: 'PT5M' }])
  expect(chooseHistory(automatic!, 3_600_000).resolution).toEqual({ kind: 'raw' })
  expect(chooseHistory(chosen!, 3_600_000).resolution).toEqual({ kind: 'envelope', interval: 'PT5M' })
})
