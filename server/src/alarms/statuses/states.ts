/** The states of an alarm on an asset, row by row as in the docs. [docs/alarms#states] */
import type { AlarmState } from '../../database/tables.ts'
import { stateAfter, type Transition } from '../../lib/state-table.ts'

/** `settle`: the alarm or its asset was changed or deleted. */
export type AlarmEvent = 'crosses' | 'acknowledge' | 'returns' | 'settle'

/**
 * Any other combination changes nothing: "An alarm triggers once and does not event again until it has been
 * acknowledged and the value has returned below the threshold." `cleared` also stands for "(none)": in both cases no
 * status is open.
 */
export const transitions: Transition<AlarmState, AlarmEvent>[] = [
  // Only this transition sends notifications.
  { from: 'cleared', event: 'crosses', to: 'active_unacknowledged' },
  { from: 'active_unacknowledged', event: 'acknowledge', to: 'active_acknowledged' },
  { from: 'active_unacknowledged', event: 'returns', to: 'inactive_unacknowledged' },
  { from: 'active_acknowledged', event: 'returns', to: 'cleared' },
  { from: 'inactive_unacknowledged', event: 'acknowledge', to: 'cleared' },
  // A changed or deleted alarm or asset leaves no open status. [docs/alarms#changes]
  { from: 'active_unacknowledged', event: 'settle', to: 'cleared' },
  { from: 'active_acknowledged', event: 'settle', to: 'cleared' },
  { from: 'inactive_unacknowledged', event: 'settle', to: 'cleared' },
]

/** @returns undefined if the event changes nothing */
export const nextState = (state: AlarmState, event: AlarmEvent): AlarmState | undefined =>
  stateAfter(transitions, state, event)

export const isActive = (state: AlarmState): boolean =>
  state === 'active_unacknowledged' || state === 'active_acknowledged'

export const isAcknowledged = (state: AlarmState): boolean =>
  state === 'active_acknowledged' || state === 'cleared'
