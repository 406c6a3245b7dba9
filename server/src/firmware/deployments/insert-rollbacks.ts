/** Plans the rollbacks of a stopped rollout in one statement. [docs/firmware#rollback] */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { isLastStarted, previousDeploymentId } from './previous-deployment.ts'

/**
 * Inserts a rollback for each client whose update has started. It restores the release that was last installed with the
 * same template, else the previous desired properties. A client with an update of a later deployment has no rollback.
 */
export const insertRollbacks = async (tx: Kysely<Tables>, deploymentId: string): Promise<void> =>
  void (await sql`
    insert into firmware_updates
      (id, tenant_id, deployment_id, client_number, kind, place, wave, state, back_to_deployment_id)
    select gen_random_uuid(), u.tenant_id, u.deployment_id, u.client_number, 'rollback', u.place, u.wave, 'Ready',
      ${previousDeploymentId}
    from firmware_updates u join deployments d on d.id = u.deployment_id
    where u.deployment_id = ${deploymentId} and u.state in ('Succeeded', 'Failed', 'Cancelled') and ${isLastStarted}
    on conflict do nothing`.execute(tx))
