/** Cancels all updates of a deployment in one statement, without restoring desired properties. */ import {
  type Kysely,
  sql,
} from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { UpdateState } from '../../database/tables/firmware.ts'
import { addAdvanceJob } from '../deployments/advance-job.ts'
import { makeLog } from './logs.ts'
import { nextState } from './states.ts'

export async function cancelUpdates(
  tx: Kysely<Tables>,
  deploymentId: string,
  state: 'Ready' | 'Running',
  message: string,
): Promise<void> {
  const log = JSON.stringify([makeLog('Warning', message, 0)])
  const next: UpdateState = nextState(state, 'cancelled')!
  await sql`
    update firmware_updates
    set state = ${next}, step_due = false, logs = logs || ${log}::jsonb, ended_at = now()
    where deployment_id = ${deploymentId} and kind = 'update' and state = ${state}`.execute(tx)
}

/**
 * Adds jobs for this deployment and for later ones, which may wait for its clients. It must be the last step of a
 * transaction: ingest locks updates first and jobs after them, and another order could deadlock.
 */
export async function addJobsFromDeployment(tx: Kysely<Tables>, deploymentId: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select d.id from deployments d
    where d.ended_at is null and d.id >= ${deploymentId}
      and d.tenant_id = (select tenant_id from deployments where id = ${deploymentId})
    order by d.id limit 1000`.execute(tx)
  for (const { id } of rows) await addAdvanceJob(tx, id)
}
