import { expect, test } from 'vitest'
import words from '../../words/en/home.ts'
import { listConcerns } from './concerns.ts'
import type { Overview } from './Home.tsx'

const since = '2026-05-01T12:00:00.000Z'
const calm = {
  alarms: { open: 0, unacknowledged: 0 },
  devices: { total: 3, silent: 0, silentSince: since, providers: [] },
  onboarding: { refused: 0, failed: 0, since },
  deadLetters: { messages: 0, devices: 0, since },
  rollouts: { running: 0, withFailures: 0 },
  ingest: { messagesPerSecond: 0 },
  storage: { freeBytes: 1e9, daysLeft: 400 },
  asOf: since,
} as unknown as Overview

const format = { number: (value: number) => String(Math.round(value)), full: String }
const find = (id: string, changes: Partial<Record<keyof Overview, unknown>> = {}) =>
  listConcerns({ ...calm, ...changes } as Overview, words, format).find((concern) => concern.id === id)

test('where nothing is wrong, everything is in order, and still leads to its list', () => {
  const concerns = listConcerns(calm, words, format)
  expect(concerns.map(({ id, state, count }) => [id, state, count])).toEqual([
    ['alarms', 'good', '0'],
    ['devices', 'good', '0'],
    ['onboarding', 'good', '0'],
    ['dead-letters', 'good', '0'],
    ['rollouts', 'good', '0'],
    ['storage', 'good', '400'],
  ])
  for (const { link } of concerns) expect(link?.to).toMatch(/^\/\w/)
})

test('open alarms are bad while one is not acknowledged, and a warning after that', () => {
  expect(find('alarms', { alarms: { open: 2, unacknowledged: 1 } })).toMatchObject({
    state: 'bad',
    count: '2',
    text: 'open alarms',
    detail: '1 not acknowledged',
    link: { to: '/alarms' },
  })
  expect(find('alarms', { alarms: { open: 1, unacknowledged: 0 } })).toMatchObject({
    state: 'warning',
    text: 'open alarm',
  })
})

test('silent devices lead to the devices that are silent since then', () => {
  expect(find('devices', { devices: { ...calm.devices, silent: 1 } })).toMatchObject({
    state: 'warning',
    count: '1',
    text: 'device was not heard',
    link: { to: '/devices', search: { silent: since } },
  })
})

test('attempts that failed are bad, those that were refused a warning', () => {
  expect(find('onboarding', { onboarding: { refused: 2, failed: 0, since } })).toMatchObject({
    state: 'warning',
    count: '2',
    link: { to: '/onboarding/trace', search: { outcome: 'unsuccessful', since } },
  })
  expect(find('onboarding', { onboarding: { refused: 2, failed: 1, since } })).toMatchObject({
    state: 'bad',
    count: '3',
    detail: `2 refused, 1 failed since ${since}`,
  })
})

test('messages that could not be read lead to their devices', () => {
  expect(find('dead-letters', { deadLetters: { messages: 5, devices: 2, since } })).toMatchObject({
    state: 'warning',
    count: '5',
    detail: 'from 2 devices',
    link: { to: '/devices', search: { deadLetters: since } },
  })
})

test('rollouts: those with failures are counted, and else those that run', () => {
  expect(find('rollouts', { rollouts: { running: 3, withFailures: 0 } })).toMatchObject({
    state: 'good',
    count: '3',
    text: 'rollouts are running',
    link: { to: '/firmware', search: { ended: 'no' } },
  })
  expect(find('rollouts', { rollouts: { running: 3, withFailures: 1 } })).toMatchObject({
    state: 'bad',
    count: '1',
    text: 'rollout has failures',
    link: { to: '/firmware', search: { ended: 'no', failing: 'yes' } },
  })
})

test.each([
  [31, 'good'],
  [30, 'good'],
  [29.6, 'warning'],
  [7, 'warning'],
  [6.9, 'bad'],
  [0, 'bad'],
])('%s days until a disk is full are %s', (daysLeft, state) => {
  expect(find('storage', { storage: { freeBytes: 1, daysLeft } })).toMatchObject({
    state,
    link: { to: '/settings' },
  })
})

test('without a forecast the storage is no concern', () => {
  expect(find('storage', { storage: { freeBytes: 1, daysLeft: null } })).toBeUndefined()
  expect(find('storage', { storage: null })).toBeUndefined()
})

test('what the user may not see is named, without a number or a link', () => {
  const nothing = { alarms: null, devices: null, onboarding: null, deadLetters: null, rollouts: null }
  const concerns = listConcerns({ ...calm, ...nothing, storage: null } as Overview, words, format)
  expect(concerns.map(({ id, state }) => [id, state])).toEqual([
    ['alarms', 'off'],
    ['devices', 'off'],
    ['onboarding', 'off'],
    ['dead-letters', 'off'],
    ['rollouts', 'off'],
  ])
  for (const { count, link } of concerns) expect([count, link]).toEqual(['', undefined])
})
