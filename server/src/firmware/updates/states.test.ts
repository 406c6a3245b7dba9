import { expect, test } from 'vitest'
import type { UpdateState } from '../../database/tables/firmware.ts'
import { nextState, transitions, type UpdateEvent } from './states.ts'

const expected: [UpdateState, UpdateEvent, UpdateState][] = [
  ['Ready', 'started', 'Running'],
  ['Ready', 'unstartable', 'Failed'],
  ['Ready', 'unsuited', 'Rejected'],
  ['Ready', 'cancelled', 'Cancelled'],
  ['Running', 'cancelled', 'Cancelled'],
  ['Running', 'unstartable', 'Failed'],
  ['Running', 'stepSucceeded', 'Running'],
  ['Running', 'succeeded', 'Succeeded'],
  ['Running', 'failed', 'Failed'],
  ['Running', 'rejected', 'Rejected'],
  ['Running', 'cancelledByDevice', 'Cancelled'],
  ['Running', 'timedOut', 'Failed'],
]
const states: UpdateState[] = ['Ready', 'Running', 'Succeeded', 'Failed', 'Rejected', 'Cancelled']
const events = [...new Set(transitions.map(({ event }) => event))]

test.each(expected)('%s, %s: %s', (state, event, next) => expect(nextState(state, event)).toBe(next))

test('there are no other transitions', () => {
  const changing = states.flatMap((state) =>
    events.filter((event) => nextState(state, event)).map((event) => `${state} ${event}`),
  )
  expect(changing.toSorted()).toEqual(expected.map(([state, event]) => `${state} ${event}`).toSorted())
})
