/** The deployment whose release a client had before another deployment. [docs/firmware#rollback] */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { DeploymentRow } from '../../database/tables/firmware.ts'

/** An expression for the update `u` of the deployment `d`: the last one that succeeded before it with the same template. */
export const previousDeploymentId = sql<string | null>`(
  select case when p.kind = 'update' then p.deployment_id else p.back_to_deployment_id end
  from firmware_updates p join deployments pd on pd.id = p.deployment_id
  where p.client_number = u.client_number and p.deployment_id < u.deployment_id and p.state = 'Succeeded'
    and pd.deployment_template_id = d.deployment_template_id
  order by p.deployment_id desc, p.kind limit 1)`

/** A condition for the update `u`: it has started, and no later deployment has taken on its client. */
export const isLastStarted = sql<boolean>`(u.kind = 'update' and u.started_at is not null and not exists (
  select from firmware_updates l
  where l.client_number = u.client_number and l.deployment_id > u.deployment_id and l.started_at is not null))`

export interface PreviousRelease {
  /** Null for clients of which no earlier release is known. */
  releaseId: string | null
  releaseName: string | null
  clients: number
}

/** Counts the clients of a deployment by the release that they had before it, most clients first. */
export async function listPreviousReleases(
  db: Kysely<Tables>,
  { id, tenant_id }: Pick<DeploymentRow, 'id' | 'tenant_id'>,
): Promise<PreviousRelease[]> {
  const { rows } = await sql<PreviousRelease>`
    select b.release_id as "releaseId", max(b.plan ->> 'releaseName') as "releaseName", count(*)::int as clients
    from (
      select ${previousDeploymentId} as previous_id
      from firmware_updates u join deployments d on d.id = u.deployment_id
      where u.tenant_id = ${tenant_id} and u.deployment_id = ${id} and ${isLastStarted}
    ) as client left join deployments b on b.id = client.previous_id
    group by b.release_id order by clients desc, b.release_id`.execute(db)
  return rows
}
