import type { Answer, Item, Schemas } from '@gangway/client'
import type { StateKind } from '../../../parts/StateMark.tsx'

export type Deployment = Schemas['DeploymentSummary']
export type DeploymentDetails = Answer<'get', '/v1/firmware/deployments/{deploymentId}'>
export type DeploymentUpdate = Item<'/v1/firmware/deployments/{deploymentId}/updates'>
export type UpdateStatus = DeploymentUpdate['status']
type Counts = Deployment['counts']

export const deploymentMarks: Record<Deployment['status'], StateKind> = {
  Ready: 'off',
  Running: 'active',
  Paused: 'warning',
  Stopped: 'bad',
  Cancelled: 'off',
  Completed: 'good',
}

/** In the order in which they need attention. */
export const updateStates = ['Failed', 'Rejected', 'Running', 'Ready', 'Succeeded', 'Cancelled'] as const

export const countFailing = ({ Failed, Rejected }: Counts) => Failed + Rejected
export const countEnded = ({ Failed, Rejected, Succeeded, Cancelled }: Counts) =>
  Failed + Rejected + Succeeded + Cancelled

/** Whether no more updates begin; rollbacks may. */
export const isOver = ({ status }: Pick<Deployment, 'status'>) =>
  status === 'Stopped' || status === 'Cancelled' || status === 'Completed'
