/** State transitions of a client's update, one per row. [docs/firmware#update-states] */
import type { UpdateState } from '../../database/tables/firmware.ts'
import { stateAfter, type Transition } from '../../lib/state-table.ts'

export const transitions = [
  { from: 'Ready', event: 'started', to: 'Running' },
  /** The file was deleted, or the values do not fit into the client's desired state. */
  { from: 'Ready', event: 'unstartable', to: 'Failed' },
  /** The client's asset has none of the release's starting models, or there is no release to roll back to. */
  { from: 'Ready', event: 'unsuited', to: 'Rejected' },
  { from: 'Ready', event: 'cancelled', to: 'Cancelled' },
  /** Cancelled by a user, or because the rollout stopped and is rolled back. */
  { from: 'Running', event: 'cancelled', to: 'Cancelled' },
  { from: 'Running', event: 'unstartable', to: 'Failed' },
  /** The following four are statuses of the device, by the template's status map. */
  { from: 'Running', event: 'stepSucceeded', to: 'Running' },
  { from: 'Running', event: 'succeeded', to: 'Succeeded' },
  { from: 'Running', event: 'failed', to: 'Failed' },
  { from: 'Running', event: 'rejected', to: 'Rejected' },
  { from: 'Running', event: 'cancelledByDevice', to: 'Cancelled' },
  /** The update exceeded the timeout while the device was connected. */
  { from: 'Running', event: 'timedOut', to: 'Failed' },
] as const satisfies Transition<UpdateState>[]

export type UpdateEvent = (typeof transitions)[number]['event']

/** @returns undefined if the event changes nothing, as for every update that has ended */
export const nextState = (state: UpdateState, event: UpdateEvent): UpdateState | undefined =>
  stateAfter(transitions, state, event)

export const openStates = ['Ready', 'Running'] as const satisfies UpdateState[]
export const isOpen = (state: UpdateState): boolean => state === 'Ready' || state === 'Running'
