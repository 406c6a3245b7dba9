import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { addJob } from '../../jobs/add-job.ts'

export const ADVANCE_DEPLOYMENT = 'advance-deployment'

/**
 * Of a deployment one runs and one waits, at most: two that ran at once would wait for each other's clients, and a fleet
 * that reports would take every worker.
 */
export function addAdvanceJob(tx: Kysely<Tables>, deploymentId: string): Promise<void> {
  const own = `${ADVANCE_DEPLOYMENT}:${deploymentId}`
  return addJob(tx, ADVANCE_DEPLOYMENT, { deploymentId }, { key: own, queue: own })
}
