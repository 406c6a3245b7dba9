/** The states of an alarm on an asset, as the interface's table has them: one row here is one row there. */
import type { AlarmState } from '../../database/tables.ts'

/** `settle`: the alarm or its asset is no longer what activated it. */
export type Trigger = 'crosses' | 'acknowledge' | 'returns' | 'settle'

export interface Transition {
  /** `cleared` is also "(none)": both have no open status. */
  from: AlarmState
  trigger: Trigger
  to: AlarmState
}

/**
 * What is not here changes nothing: "An alarm triggers once and does not trigger again until it has been acknowledged
 * and the value has returned below the threshold."
 */
export const transitions: Transition[] = [
  // [interface, Alarm states, row 1]; who must know is told now, and only now.
  { from: 'cleared', trigger: 'crosses', to: 'active_unacknowledged' },
  // [row 2]
  { from: 'active_unacknowledged', trigger: 'acknowledge', to: 'active_acknowledged' },
  // [row 3]
  { from: 'active_unacknowledged', trigger: 'returns', to: 'inactive_unacknowledged' },
  // [row 4]
  { from: 'active_acknowledged', trigger: 'returns', to: 'cleared' },
  // [row 5]
  { from: 'inactive_unacknowledged', trigger: 'acknowledge', to: 'cleared' },
  // Beyond the interface: an alarm that was changed or deleted leaves nothing open, nor does an asset.
  { from: 'active_unacknowledged', trigger: 'settle', to: 'cleared' },
  { from: 'active_acknowledged', trigger: 'settle', to: 'cleared' },
  { from: 'inactive_unacknowledged', trigger: 'settle', to: 'cleared' },
]

/** @returns nothing where the trigger changes nothing */
export const nextState = (state: AlarmState, trigger: Trigger): AlarmState | undefined =>
  transitions.find((row) => row.from === state && row.trigger === trigger)?.to

export const isActive = (state: AlarmState): boolean =>
  state === 'active_unacknowledged' || state === 'active_acknowledged'

export const isAcknowledged = (state: AlarmState): boolean =>
  state === 'active_acknowledged' || state === 'cleared'
