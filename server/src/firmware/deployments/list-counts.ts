import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { DeploymentRow, UpdateKind, UpdateState } from '../../database/tables/firmware.ts'

export interface WaveCounts {
  kind: UpdateKind
  /** 0 for clients that are excluded from the rollout. */
  wave: number
  state: UpdateState
  count: number
}

export const listCounts = (
  db: Kysely<Tables>,
  { tenant_id, id }: Pick<DeploymentRow, 'tenant_id' | 'id'>,
): Promise<WaveCounts[]> =>
  db
    .selectFrom('firmware_updates')
    .select((eb) => ['kind', 'wave', 'state', eb.cast<number>(eb.fn.countAll(), 'integer').as('count')])
    .where('tenant_id', '=', tenant_id)
    .where('deployment_id', '=', id)
    .groupBy(['kind', 'wave', 'state'])
    .execute()

/** Counts the updates of several deployments by state, without rollbacks. */
export const listUpdateCounts = (
  db: Kysely<Tables>,
  tenantId: string,
  deploymentIds: string[],
): Promise<(Pick<WaveCounts, 'state' | 'count'> & { deployment_id: string })[]> =>
  db
    // The tenant is that of the deployments, so that an index alone answers the count.
    .selectFrom('deployments as d')
    .innerJoin('firmware_updates as u', 'u.deployment_id', 'd.id')
    .select((eb) => ['deployment_id', 'state', eb.cast<number>(eb.fn.countAll(), 'integer').as('count')])
    .where('d.tenant_id', '=', tenantId)
    .where('d.id', '=', (eb) => eb.fn.any(eb.val(deploymentIds)))
    .where('kind', '=', 'update')
    .groupBy(['deployment_id', 'state'])
    .execute()
