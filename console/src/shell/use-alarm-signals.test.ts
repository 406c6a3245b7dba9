import { expect, test } from 'vitest'
import { findNewest } from './use-alarm-signals.ts'

test('only an alarm with a later id is new, and not an older one that moves up in the list', () => {
  const list = (...ids: string[]) => ids.map((alarmStatusId) => ({ alarmStatusId }))
  expect(findNewest(null, list())).toBe('')
  expect(findNewest('', list('b'))).toBe('b')
  expect(findNewest('b', list('c', 'b'))).toBe('c')
  expect(findNewest('c', list('a'))).toBe('c')
  expect(findNewest('c', list())).toBe('c')
})
