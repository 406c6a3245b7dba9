import { expect, test } from 'vitest'
import { chooseDraft } from './choose-draft.ts'

const values = { version: 1, data: {} }
const sinceMs = Date.parse('2026-11-22T08:00:00.000Z')
const server = (changedAt: string) => ({ ...values, changedAt })

test('the only draft is continued', () => {
  expect(chooseDraft(null, null)).toBeNull()
  expect(chooseDraft({ values, sinceMs }, null)).toBe('tab')
  expect(chooseDraft(null, server('2026-11-22T08:00:00.000Z'))).toBe('server')
})

test('of two drafts the younger one is continued', () => {
  expect(chooseDraft({ values, sinceMs }, server('2026-11-22T09:00:00.000Z'))).toBe('server')
  const changedMs = Date.parse('2026-11-22T10:00:00.000Z')
  expect(chooseDraft({ values, sinceMs, changedMs }, server('2026-11-22T09:00:00.000Z'))).toBe('tab')
})

test('a tab continues its own draft, whatever its clock says', () => {
  const sentAt = '2026-11-22T09:00:00.000Z'
  expect(chooseDraft({ values, sinceMs, sentAt }, server(sentAt))).toBe('tab')
  expect(chooseDraft({ values, sinceMs, sentAt }, server('2026-11-22T09:30:00.000Z'))).toBe('server')
})
