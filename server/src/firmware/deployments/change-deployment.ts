/** Pauses, resumes, cancels and deletes deployments on request. */
import { audited } from '../../audit/audited.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import { statesBefore } from '../../lib/state-table.ts'
import { addJobsFromDeployment, cancelUpdates } from '../updates/end-updates.ts'
import { deploymentShape } from './schema.ts'
import { type DeploymentEvent, nextStatus, transitions } from './states.ts'
import type { DeploymentRow } from '../../database/tables/firmware.ts'
import { deleteDeployment, getDeploymentForUpdate, updateDeployment } from './store.ts'

const resourceType = 'firmware'

/**
 * Repeating a request changes nothing.
 * @throws not_found, conflict
 */
export const changeDeployment = (
  ctx: Context,
  caller: Caller,
  id: string,
  event: Extract<DeploymentEvent, 'pause' | 'resume' | 'cancel'>,
): Promise<DeploymentRow> =>
  ctx.db.transaction().execute(async (tx) => {
    const before = await getDeploymentForUpdate(tx, caller.tenantId, id)
    const status = nextStatus(before.status, event)
    if (!status) return requireAlreadyDone(before, event)
    const after = await updateDeployment(tx, before, { status })
    if (event === 'cancel') await cancelUpdates(tx, id, 'Ready', 'The deployment was cancelled.')
    await recordAudit(tx, caller, {
      action: event,
      resourceType,
      resourceId: id,
      before: deploymentShape(before),
      after: deploymentShape(after),
    })
    // The jobs start updates that may start now, and revert cancelled ones.
    await addJobsFromDeployment(tx, id)
    return after
  })

function requireAlreadyDone(row: DeploymentRow, event: DeploymentEvent): DeploymentRow {
  const isDone = transitions.some((each) => each.event === event && each.to === row.status)
  if (isDone) return row
  throw new ApiError(
    'conflict',
    `This deployment is ${row.status}; to ${event} it, it must be ${statesBefore(transitions, event).join(' or ')}.`,
    { status: row.status },
  )
}

/** Also deletes its updates with their logs. @throws not_found; conflict while an update is not over */
export const removeDeployment = (ctx: Context, caller: Caller, id: string): Promise<void> =>
  audited(ctx.db, { actor: caller, action: 'delete', resourceType }, async (tx) => {
    const row = await getDeploymentForUpdate(tx, caller.tenantId, id)
    if (row.ended_at === null)
      throw new ApiError(
        'conflict',
        'This deployment has not ended. Cancel it, and wait until its updates have ended.',
        {
          status: row.status,
        },
      )
    await deleteDeployment(tx, caller.tenantId, id)
    return { resourceId: id, before: deploymentShape(row) }
  })
