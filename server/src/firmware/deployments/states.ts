/** State transitions of a deployment, one per row. A deployment has ended only when its updates have ended, too. */
import type { DeploymentStatus } from '../../database/tables/firmware.ts'
import { stateAfter, type Transition } from '../../lib/state-table.ts'

export const transitions = [
  { from: 'Ready', event: 'begin', to: 'Running' },
  { from: 'Ready', event: 'pause', to: 'Paused' },
  { from: 'Running', event: 'pause', to: 'Paused' },
  { from: 'Paused', event: 'resume', to: 'Running' },
  { from: 'Ready', event: 'cancel', to: 'Cancelled' },
  { from: 'Running', event: 'cancel', to: 'Cancelled' },
  { from: 'Paused', event: 'cancel', to: 'Cancelled' },
  /** Caused by too many failures or alarms. */
  { from: 'Running', event: 'stop', to: 'Stopped' },
  { from: 'Running', event: 'complete', to: 'Completed' },
] as const satisfies Transition<DeploymentStatus>[]

export type DeploymentEvent = (typeof transitions)[number]['event']

/** @returns undefined if the event changes nothing */
export const nextStatus = (status: DeploymentStatus, event: DeploymentEvent): DeploymentStatus | undefined =>
  stateAfter(transitions, status, event)

/** Whether only rollbacks may still be started. */
export const isOver = (status: DeploymentStatus): boolean =>
  status === 'Stopped' || status === 'Cancelled' || status === 'Completed'
