/** What becomes of one client's update: one row a transition. [docs/firmware#update-states] */
import type { UpdateState } from '../../database/tables/firmware.ts'
import { stateAfter, type Transition } from '../../lib/state-table.ts'

export const transitions = [
  { from: 'Ready', event: 'started', to: 'Running' },
  /** Its file is gone, or its values do not fit on the client. */
  { from: 'Ready', event: 'unstartable', to: 'Failed' },
  /** The client's asset is of none of the release's starting models, or there is nothing to go back to. */
  { from: 'Ready', event: 'unsuited', to: 'Rejected' },
  { from: 'Ready', event: 'cancelled', to: 'Cancelled' },
  /** By a person, or because the rollout stopped and goes back. */
  { from: 'Running', event: 'cancelled', to: 'Cancelled' },
  { from: 'Running', event: 'unstartable', to: 'Failed' },
  /** The device's own words, by the template's map. */
  { from: 'Running', event: 'stepSucceeded', to: 'Running' },
  { from: 'Running', event: 'succeeded', to: 'Succeeded' },
  { from: 'Running', event: 'failed', to: 'Failed' },
  { from: 'Running', event: 'rejected', to: 'Rejected' },
  { from: 'Running', event: 'cancelledByDevice', to: 'Cancelled' },
  /** Longer than it may, while the device was connected. */
  { from: 'Running', event: 'timedOut', to: 'Failed' },
] as const satisfies Transition<UpdateState>[]

export type UpdateEvent = (typeof transitions)[number]['event']

/** @returns nothing where the event changes nothing: an update that has ended stays as it is */
export const nextState = (state: UpdateState, event: UpdateEvent): UpdateState | undefined =>
  stateAfter(transitions, state, event)

export const openStates = ['Ready', 'Running'] as const satisfies UpdateState[]
export const isOpen = (state: UpdateState): boolean => state === 'Ready' || state === 'Running'
