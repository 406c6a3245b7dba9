import { expect, test } from 'vitest'
import { applyStatuses, type StatusPage } from './apply-statuses.ts'
import type { AlarmFilters, Status } from './status.ts'

const filters: AlarmFilters = { show: 'open', severity: 0, state: '', rule: '', asset: '', node: '' }

const status = (alarmStatusId: string, fields: Partial<Status> = {}) =>
  ({
    alarmStatusId,
    alarmId: 'rule',
    entityId: 'pump',
    severity: 3,
    state: 'active_unacknowledged',
    ...fields,
  }) as Status

const load = (pages: StatusPage[]) => ({ pages, pageParams: pages.map(() => undefined) })
const list = (loaded: ReturnType<typeof applyStatuses>) =>
  loaded?.pages.map(({ items }) => items.map(({ alarmStatusId }) => alarmStatusId))

test('a new status comes first, a known one is replaced, and a cleared one leaves', () => {
  const loaded = load([{ items: [status('3'), status('2')], cursor: null }])
  expect(list(applyStatuses(loaded, [status('4')], filters))).toEqual([['4', '3', '2']])
  const next = applyStatuses(
    loaded,
    [status('3', { state: 'cleared' }), status('2', { severity: 5 })],
    filters,
  )
  expect(list(next)).toEqual([['2']])
  expect(next!.pages[0]!.items[0]!.severity).toBe(5)
})

test('the filters decide; a status of a page that is not loaded waits for that page', () => {
  const loaded = load([{ items: [status('5')], cursor: 'more' }])
  expect(list(applyStatuses(loaded, [status('3')], filters))).toEqual([['5']])
  expect(list(applyStatuses(loaded, [status('6')], { ...filters, severity: 4 }))).toEqual([['5']])
  expect(list(applyStatuses(loaded, [status('6')], { ...filters, asset: 'other' }))).toEqual([['5']])
  const acknowledged = status('5', { state: 'active_acknowledged' })
  expect(list(applyStatuses(loaded, [acknowledged], { ...filters, state: 'active_unacknowledged' }))).toEqual(
    [[]],
  )
})

test('only the server knows what stands in a node', () => {
  const loaded = load([{ items: [status('5')], cursor: null }])
  expect(applyStatuses(loaded, [status('6')], { ...filters, node: 'hall' })).toBeUndefined()
  expect(
    list(applyStatuses(loaded, [status('5', { state: 'cleared' })], { ...filters, node: 'hall' })),
  ).toEqual([[]])
})
