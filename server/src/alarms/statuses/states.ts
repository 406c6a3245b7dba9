/** The states of an alarm on an asset, row by row as in the guide. [docs/alarms#states] */
import type { AlarmState } from '../../database/tables.ts'
import { stateAfter, type Transition } from '../../lib/state-table.ts'

/** `settle`: the alarm or its asset is no longer what activated it. */
export type AlarmEvent = 'crosses' | 'acknowledge' | 'returns' | 'settle'

/**
 * What is not here changes nothing: "An alarm triggers once and does not event again until it has been acknowledged
 * and the value has returned below the threshold." `cleared` is also "(none)": both have no open status.
 */
export const transitions: Transition<AlarmState, AlarmEvent>[] = [
  // Notifications are sent now, and only now.
  { from: 'cleared', event: 'crosses', to: 'active_unacknowledged' },
  { from: 'active_unacknowledged', event: 'acknowledge', to: 'active_acknowledged' },
  { from: 'active_unacknowledged', event: 'returns', to: 'inactive_unacknowledged' },
  { from: 'active_acknowledged', event: 'returns', to: 'cleared' },
  { from: 'inactive_unacknowledged', event: 'acknowledge', to: 'cleared' },
  // An alarm that was changed or deleted leaves nothing open, nor does an asset. [docs/alarms#changes]
  { from: 'active_unacknowledged', event: 'settle', to: 'cleared' },
  { from: 'active_acknowledged', event: 'settle', to: 'cleared' },
  { from: 'inactive_unacknowledged', event: 'settle', to: 'cleared' },
]

/** @returns nothing where the event changes nothing */
export const nextState = (state: AlarmState, event: AlarmEvent): AlarmState | undefined =>
  stateAfter(transitions, state, event)

export const isActive = (state: AlarmState): boolean =>
  state === 'active_unacknowledged' || state === 'active_acknowledged'

export const isAcknowledged = (state: AlarmState): boolean =>
  state === 'active_acknowledged' || state === 'cleared'
