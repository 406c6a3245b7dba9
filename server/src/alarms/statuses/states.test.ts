import { expect, test } from 'vitest'
import { type AlarmEvent, isAcknowledged, isActive, nextState, transitions } from './states.ts'

const states = ['cleared', 'active_unacknowledged', 'active_acknowledged', 'inactive_unacknowledged'] as const
const events: AlarmEvent[] = ['crosses', 'acknowledge', 'returns', 'settle']

test.each([
  ['row 1', 'cleared', 'crosses', 'active_unacknowledged'],
  ['row 2', 'active_unacknowledged', 'acknowledge', 'active_acknowledged'],
  ['row 3', 'active_unacknowledged', 'returns', 'inactive_unacknowledged'],
  ['row 4', 'active_acknowledged', 'returns', 'cleared'],
  ['row 5', 'inactive_unacknowledged', 'acknowledge', 'cleared'],
] as const)('[docs/alarms#states] %s: %s, %s: %s', (_row, from, event, to) => {
  expect(nextState(from, event)).toBe(to)
})

test('events that the table does not name change nothing, and settling clears every open status', () => {
  const moves = states.flatMap((from) => events.filter((event) => nextState(from, event)))
  expect(moves).toHaveLength(transitions.length)
  expect(nextState('inactive_unacknowledged', 'crosses')).toBeUndefined()
  expect(nextState('cleared', 'acknowledge')).toBeUndefined()
  for (const from of states.slice(1)) expect(nextState(from, 'settle')).toBe('cleared')
})

test('a state is active or not, and acknowledged or not', () => {
  expect(states.map(isActive)).toEqual([false, true, true, false])
  expect(states.map(isAcknowledged)).toEqual([true, false, true, false])
})
