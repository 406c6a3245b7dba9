import { requirePrivilegeIn } from '../../access/require.ts'
import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { newId } from '../../lib/ids.ts'
import { addAdvanceJob } from './advance-job.ts'
import { makePlan, readRollout } from './make-plan.ts'
import { planUpdates } from './plan-updates.ts'
import { requireClients } from './require-clients.ts'
import { type CreateDeployment, deploymentShape } from './schema.ts'
import type { DeploymentRow } from '../../database/tables/firmware.ts'
import { insertDeployment } from './store.ts'

/**
 * Creates a deployment, which starts at once.
 * @throws validation_error, conflict, forbidden, not_found
 */
export async function createDeployment(
  ctx: Context,
  caller: Caller,
  body: CreateDeployment,
): Promise<DeploymentRow> {
  const { tenantId } = caller
  await requirePrivilegeIn(ctx, caller, 'firmware_management', body.organizationId)
  const rollout = await readRollout(ctx, caller, body)
  return audited(ctx.db, { actor: caller, action: 'create', resourceType: 'firmware' }, async (tx) => {
    const plan = await makePlan(tx, caller, body)
    await requireClients(tx, caller, body.deviceIds)
    const row = await insertDeployment(tx, {
      id: newId(),
      tenant_id: tenantId,
      organization_id: body.organizationId,
      display_name: body.displayName,
      description: body.description ?? null,
      deployment_template_id: body.deploymentTemplateId,
      release_id: body.releaseId,
      plan: JSON.stringify(plan),
      rollout: JSON.stringify(rollout),
      timeout_seconds: body.timeoutSeconds ?? null,
      status: 'Ready',
      status_message: null,
      started_at: null,
      ended_at: null,
    })
    await planUpdates(tx, { id: row.id, tenantId }, { plan, rollout, deviceIds: body.deviceIds })
    const after = { ...deploymentShape(row), devices: body.deviceIds.length }
    await addAdvanceJob(tx, row.id)
    return { resourceId: row.id, after, result: row }
  })
}
