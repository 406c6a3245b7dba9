import { expect, test } from 'vitest'
import { bindSignals } from '../board/signals.ts'
import { chooseHistory, groupNeeds, readPeriod, readWhole, takesLiveValues } from './history.ts'
import { createLatestStore } from './latest-store.ts'

const signals = (...assets: string[]) =>
  bindSignals(
    assets.map((assetId) => ({ assetId, name: 't' })),
    {},
  )
const hour = { kind: 'last', span: '1h' } as const
const week = { kind: 'last', span: '7d' } as const

test('widgets with the same range and aggregation share a query', () => {
  const groups = groupNeeds([
    { signals: signals('a', 'b'), timeRange: hour, aggregation: 'auto' },
    { signals: signals('b', 'c'), timeRange: hour, aggregation: 'auto' },
    { signals: signals('b'), timeRange: week, aggregation: 'auto' },
  ])
  expect(groups.map((group) => [group.owners, group.signals.length])).toEqual([
    [3, 3],
    [1, 1],
  ])
})

test('an envelope is read for few assets, and the mean for many', () => {
  const [few] = groupNeeds([{ signals: signals('a'), timeRange: week, aggregation: 'auto' }])
  expect(chooseHistory(few!, 7 * 86_400_000).kind).toBe('envelope')
  expect(chooseHistory({ ...few!, owners: 40 }, 7 * 86_400_000)).toMatchObject({
    kind: 'single',
    type: 'avg',
  })
  expect(chooseHistory({ ...few!, aggregation: 'states' }, 7 * 86_400_000)).toMatchObject({ type: 'last' })
  expect(chooseHistory(few!, 3_600_000)).toEqual({ kind: 'raw' })
})

test('bars have one value for the whole time, and no live value is added to an aggregate', () => {
  const [bars] = groupNeeds([{ signals: signals('a'), timeRange: hour, aggregation: 'whole median' }])
  expect(readWhole(bars!.aggregation)).toBe('median')
  expect(chooseHistory(bars!, 3_600_000)).toMatchObject({ kind: 'single', type: 'median' })
  expect((['auto', 'raw', 'states', 'sum', 'avg', 'whole avg'] as const).filter(takesLiveValues)).toEqual([
    'auto',
    'raw',
    'states',
  ])
})

test('a period of a widget is one of the time ranges', () => {
  expect(readPeriod('PT1H')).toEqual(hour)
  expect(readPeriod('P1W')).toEqual(week)
  expect(readPeriod('PT90M')).toEqual({ kind: 'last', span: '6h' })
  expect([readPeriod('soon'), readPeriod(undefined), readPeriod('PT0H')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('a value that comes late does not replace a newer one', () => {
  const store = createLatestStore()
  const event = (time: string, value: number) => ({ time, value }) as Parameters<typeof store.set>[1]
  store.set('a', event('2026-11-22T08:00:01.000Z', 2))
  store.set('a', event('2026-11-22T08:00:00.000Z', 1))
  expect(store.get('a')?.value).toBe(2)
  store.stop()
})
