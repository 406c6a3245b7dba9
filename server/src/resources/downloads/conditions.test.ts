import { expect, test } from 'vitest'
import { isUnchanged, readRange } from './conditions.ts'

const changedAt = new Date('2026-03-01T12:00:00.500Z')
const date = changedAt.toUTCString()
const earlier = new Date(changedAt.getTime() - 5000).toUTCString()
const version = { etag: '"abc"', changedAt, size: 100 }

test.each([
  [{}, false],
  [{ 'if-none-match': '"abc"' }, true],
  [{ 'if-none-match': 'W/"x", W/"abc"' }, true],
  [{ 'if-none-match': '*' }, true],
  [{ 'if-none-match': '"x"', 'if-modified-since': date }, false],
  [{ 'if-modified-since': date }, true],
  [{ 'if-modified-since': earlier }, false],
  [{ 'if-modified-since': 'yesterday' }, false],
])('%j: the answer for an unchanged file is %s [RFC 9110, 13.1]', (headers, unchanged) => {
  expect(isUnchanged(headers, version)).toBe(unchanged)
})

test.each([
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=90-1000', { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=99-99', { start: 99, end: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=9-0', 'none'],
  ['bytes=0-1,5-6', 'none'],
  ['bytes=-', 'none'],
  ['bytes=a-b', 'none'],
  ['lines=0-1', 'none'],
  [`bytes=${'9'.repeat(20)}-`, 'none'],
])('%s [RFC 9110, 14.2]', (range, expected) => {
  expect(readRange({ range }, version)).toEqual(expected)
})

test.each([
  ['"abc"', true],
  ['W/"abc"', false],
  ['"x"', false],
  [date, true],
  [earlier, false],
])('If-Range %s', (condition, applies) => {
  const range = readRange({ range: 'bytes=0-9', 'if-range': condition }, version)
  expect(range !== 'none').toBe(applies)
})

test('an empty file has no satisfiable range', () => {
  expect(readRange({ range: 'bytes=0-' }, { ...version, size: 0 })).toBe('unsatisfiable')
  expect(readRange({ range: 'bytes=-5' }, { ...version, size: 0 })).toBe('unsatisfiable')
})
