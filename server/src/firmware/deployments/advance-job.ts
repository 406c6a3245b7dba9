import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { addJob } from '../../jobs/add-job.ts'

export const ADVANCE_DEPLOYMENT = 'advance-deployment'

/**
 * Adds the job of a deployment. At most one of them runs and one waits: concurrent jobs would wait for locks on the same
 * clients, and a fleet that reports would occupy all workers.
 */
export async function addAdvanceJob(tx: Kysely<Tables>, deploymentId: string): Promise<void> {
  const key = `${ADVANCE_DEPLOYMENT}:${deploymentId}`
  const deployment = await tx
    .selectFrom('deployments')
    .select('tenant_id')
    .where('id', '=', deploymentId)
    .executeTakeFirst()
  if (!deployment) return
  // A deployment has its own job slots, because its clients' providers may hang.
  const receiver = { kind: 'deployment', id: deploymentId, tenantId: deployment.tenant_id } as const
  await addJob(tx, ADVANCE_DEPLOYMENT, { deploymentId }, { key: key, queue: key, receiver })
}
