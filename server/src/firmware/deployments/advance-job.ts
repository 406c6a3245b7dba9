import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { addJob } from '../../jobs/add-job.ts'

export const ADVANCE_DEPLOYMENT = 'advance-deployment'

/**
 * Of a deployment one runs and one waits, at most: two that ran at once would wait for each other's clients, and a fleet
 * that reports would take every worker.
 */
export async function addAdvanceJob(tx: Kysely<Tables>, deploymentId: string): Promise<void> {
  const own = `${ADVANCE_DEPLOYMENT}:${deploymentId}`
  const deployment = await tx
    .selectFrom('deployments')
    .select('tenant_id')
    .where('id', '=', deploymentId)
    .executeTakeFirst()
  if (!deployment) return
  // Its clients may be at several providers, each of which may hang: it has slots of its own.
  const receiver = { kind: 'deployment', id: deploymentId, tenantId: deployment.tenant_id } as const
  await addJob(tx, ADVANCE_DEPLOYMENT, { deploymentId }, { key: own, queue: own, receiver })
}
