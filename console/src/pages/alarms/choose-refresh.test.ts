import { expect, test } from 'vitest'
import { chooseRefreshMs } from './choose-refresh.ts'

const open = { clearedAt: null }
const waits = { rows: [{ state: 'sent' }, { state: 'queued' }], notifications: 1 }

test('messages are read again while one waits or none was made', () => {
  expect(chooseRefreshMs(open, undefined, 0)).toBe(60_000)
  expect(chooseRefreshMs(open, waits, 0)).toBe(60_000)
  expect(chooseRefreshMs(open, { rows: [], notifications: 0 }, 0)).toBe(60_000)
  expect(chooseRefreshMs(open, { ...waits, notifications: 20 }, 0)).toBe(315_000)
})

test('nothing is read again when all are done, or the alarm is cleared for a minute', () => {
  const rows = [{ state: 'sent' }, { state: 'failed' }, { state: 'skipped' }, { state: 'not_configured' }]
  expect(chooseRefreshMs(open, { rows, notifications: 4 }, 0)).toBe(false)
  const cleared = { clearedAt: '2026-01-01T00:00:00Z' }
  const atMs = Date.parse(cleared.clearedAt)
  expect(chooseRefreshMs(cleared, waits, atMs + 30_000)).toBe(60_000)
  expect(chooseRefreshMs(cleared, waits, atMs + 90_000)).toBe(false)
})
