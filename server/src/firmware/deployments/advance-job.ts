import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { addJob } from '../../jobs/add-job.ts'

export const ADVANCE_DEPLOYMENT = 'advance-deployment'

/** One waits at a time a deployment. Two that run at once do no harm: each update is started under its client's lock. */
export const addAdvanceJob = (tx: Kysely<Tables>, deploymentId: string): Promise<void> =>
  addJob(tx, ADVANCE_DEPLOYMENT, { deploymentId }, { key: `${ADVANCE_DEPLOYMENT}:${deploymentId}` })
