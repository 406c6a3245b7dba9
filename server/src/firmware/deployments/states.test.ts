import { expect, test } from 'vitest'
import type { DeploymentStatus } from '../../database/tables/firmware.ts'
import { type DeploymentEvent, nextStatus, transitions } from './states.ts'

const expected: [DeploymentStatus, DeploymentEvent, DeploymentStatus][] = [
  ['Ready', 'begin', 'Running'],
  ['Ready', 'pause', 'Paused'],
  ['Running', 'pause', 'Paused'],
  ['Paused', 'resume', 'Running'],
  ['Ready', 'cancel', 'Cancelled'],
  ['Running', 'cancel', 'Cancelled'],
  ['Paused', 'cancel', 'Cancelled'],
  ['Running', 'stop', 'Stopped'],
  ['Running', 'complete', 'Completed'],
]

test.each(expected)('%s, %s: %s', (status, event, next) => expect(nextStatus(status, event)).toBe(next))

test('there are no other transitions', () => expect(transitions).toHaveLength(expected.length))
