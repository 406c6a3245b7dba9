/** The updates of a whole deployment, ended in one statement. Nothing is set on their clients. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { UpdateState } from '../../database/tables/firmware.ts'
import { addAdvanceJob } from '../deployments/advance-job.ts'
import { makeLog } from './logs.ts'
import { nextState } from './states.ts'

export async function cancelMany(
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
 * This deployment goes on, and later ones that may have been waiting for its clients. The last thing that a transaction
 * does: ingest too takes updates first, jobs after them.
 */
export async function addJobsFrom(tx: Kysely<Tables>, deploymentId: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select d.id from deployments d
    where d.ended_at is null and d.id >= ${deploymentId}
      and d.tenant_id = (select tenant_id from deployments where id = ${deploymentId})
    order by d.id limit 1000`.execute(tx)
  for (const { id } of rows) await addAdvanceJob(tx, id)
}
