/** Pausing, resuming, cancelling and deleting a deployment: what people do to it. */
import { audited } from '../../audit/audited.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import { statesBefore } from '../../lib/state-table.ts'
import { addJobsFrom, cancelMany } from '../updates/end-many.ts'
import { deploymentShape } from './schema.ts'
import { type DeploymentEvent, nextStatus, transitions } from './states.ts'
import type { DeploymentRow } from '../../database/tables/firmware.ts'
import { deleteDeployment, getDeploymentForUpdate, updateDeployment } from './store.ts'

const resourceType = 'firmware'

/**
 * Asking twice for the same changes nothing the second time.
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
    if (!status) return unchanged(before, event)
    const after = await updateDeployment(tx, before, { status })
    if (event === 'cancel') await cancelMany(tx, id, 'Ready', 'The deployment was cancelled.')
    await recordAudit(tx, caller, {
      action: event,
      resourceType,
      resourceId: id,
      before: deploymentShape(before),
      after: deploymentShape(after),
    })
    // It begins what may be begun, and takes back what was begun.
    await addJobsFrom(tx, id)
    return after
  })

function unchanged(row: DeploymentRow, event: DeploymentEvent): DeploymentRow {
  const isThere = transitions.some((each) => each.event === event && each.to === row.status)
  if (isThere) return row
  throw new ApiError(
    'conflict',
    `This deployment is ${row.status}; only one that is ${statesBefore(transitions, event).join(' or ')} can be asked to ${event}.`,
    { status: row.status },
  )
}

/** With it goes what its updates have said. @throws not_found; conflict while something of it goes on */
export const removeDeployment = (ctx: Context, caller: Caller, id: string): Promise<void> =>
  audited(ctx.db, { actor: caller, action: 'delete', resourceType }, async (tx) => {
    const row = await getDeploymentForUpdate(tx, caller.tenantId, id)
    if (row.ended_at === null)
      throw new ApiError(
        'conflict',
        'This deployment has not ended. Cancel it, and wait until its updates have.',
        {
          status: row.status,
        },
      )
    await deleteDeployment(tx, caller.tenantId, id)
    return { resourceId: id, before: deploymentShape(row) }
  })
