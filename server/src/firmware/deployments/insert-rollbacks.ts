/** Plans the rollbacks of a stopped rollout in one statement. [docs/firmware#rollback] */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'

/**
 * Inserts a rollback for each client whose update has started. It restores the release that was last installed with the
 * same template, else the previous desired properties. A client with an update of a later deployment has no rollback.
 */
export const insertRollbacks = async (tx: Kysely<Tables>, deploymentId: string): Promise<void> =>
  void (await sql`
    insert into firmware_updates
      (id, tenant_id, deployment_id, client_number, kind, place, wave, state, back_to_deployment_id)
    select gen_random_uuid(), u.tenant_id, u.deployment_id, u.client_number, 'rollback', u.place, u.wave, 'Ready', (
        select case when p.kind = 'update' then p.deployment_id else p.back_to_deployment_id end
        from firmware_updates p join deployments pd on pd.id = p.deployment_id
        where p.client_number = u.client_number and p.deployment_id < u.deployment_id and p.state = 'Succeeded'
          and pd.deployment_template_id = d.deployment_template_id
        order by p.deployment_id desc, p.kind limit 1)
    from firmware_updates u join deployments d on d.id = u.deployment_id
    where u.deployment_id = ${deploymentId} and u.kind = 'update' and u.started_at is not null
      and u.state in ('Succeeded', 'Failed', 'Cancelled')
      and not exists (
        select from firmware_updates l
        where l.client_number = u.client_number and l.deployment_id > u.deployment_id and l.started_at is not null)
    on conflict do nothing`.execute(tx))
