/** Chooses the clients of a deployment by what they are, instead of by their ids. [docs/firmware#preview] */
import { type Kysely, sql, type SqlBool } from 'kysely'
import Type, { type Static } from 'typebox'
import { listOrganizationsOfPrivileges } from '../../access/decisions/reach.ts'
import { callerSubject, requirePermission } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import { contains } from '../../database/search.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { validationError } from '../../http/errors.ts'
import { SuppliedId, Uuid } from '../../http/shapes.ts'
import { isOnline } from '../../providers/is-online.ts'
import { assetsInNode } from '../../tree/assets-in-node.ts'
import { hasStartingModel } from './plan-updates.ts'
import { isLastStarted, previousDeploymentId } from './previous-deployment.ts'
import { UpdateStatus } from '../updates/query.ts'
import { DeploymentDevices, MAX_CLIENTS } from './schema.ts'
import { getDeployment } from './store.ts'

/** All conditions that are given have to hold. */
export const DeviceSelection = Type.Object(
  {
    deviceIds: Type.Optional(DeploymentDevices),
    search: Type.Optional({
      ...Type.String({ minLength: 1, maxLength: 128 }),
      description: 'Clients with this part of the name or id',
    }),
    providerId: Type.Optional(SuppliedId),
    modelId: Type.Optional({ ...SuppliedId, description: 'Clients that an asset of this model has bound' }),
    nodeId: Type.Optional({
      ...Uuid,
      description: 'Clients that an asset has bound which stands in this tree node or below it',
    }),
    tag: Type.Optional(
      Type.String({
        pattern: '^[^=]+=',
        maxLength: 512,
        description: '`key=value`: clients whose provider template has this tag',
      }),
    ),
    firmwareReleaseId: Type.Optional({
      ...Uuid,
      description: 'Clients whose last successful update or rollback installed this release',
    }),
    deployment: Type.Optional(
      Type.Object(
        {
          id: Uuid,
          statuses: Type.Optional(Type.Array(UpdateStatus, { minItems: 1, maxItems: 6 })),
          previousReleaseId: Type.Optional({
            ...Uuid,
            description: 'Clients that were updated, had this release before, and are in no later deployment',
          }),
        },
        { description: 'Clients of another deployment' },
      ),
    ),
  },
  { title: 'DeviceSelection' },
)
export type DeviceSelection = Static<typeof DeviceSelection>

export interface SelectedClient {
  id: string
  /** Whether an asset of a starting model has bound it. */
  suited: boolean
  connected: boolean
  /** Whether an update of another deployment has not ended. */
  waiting: boolean
  releaseId: string | null
  releaseName: string | null
}

/**
 * Lists the clients in organizations where the caller manages firmware, by id.
 * @param db for the expensive statement
 * @param startingModelIds of the release; empty: any
 * @throws validation_error for more than a deployment takes; forbidden, not_found for the node and the deployment
 */
export async function selectClients(
  ctx: Context,
  caller: Caller,
  {
    db,
    selection,
    startingModelIds,
  }: { db: Kysely<Tables>; selection: DeviceSelection; startingModelIds: string[] },
): Promise<SelectedClient[]> {
  const { nodeId, deployment } = selection
  if (nodeId) await requirePermission(ctx, caller, 'view', { type: 'node', id: nodeId })
  const { tenantId } = caller
  if (deployment) {
    await requirePermission(ctx, caller, 'view', { type: 'firmware', id: deployment.id })
    await getDeployment(ctx.db, tenantId, deployment.id)
  }
  const request = { tenantId, subject: callerSubject(caller), privilege: 'firmware_management' } as const
  const [organizationIds] = await listOrganizationsOfPrivileges(ctx.pool, [request])
  const { rows } = await sql<SelectedClient>`
    select c.id, ${hasStartingModel(startingModelIds)} as suited,
      not c.on_broker or ${isOnline('connection')} as connected,
      exists (select from firmware_updates u where u.client_number = c.number and u.state in ('Ready', 'Running'))
        as waiting,
      installed.release_id as "releaseId", installed.plan ->> 'releaseName' as "releaseName"
    from (
      select c.tenant_id, c.id, c.number, c.on_broker from provider_clients c
      where c.tenant_id = ${tenantId} and c.organization_id = any(${organizationIds!}::uuid[])
        and ${sql.join(conditions(tenantId, selection), sql` and `)}
      limit ${MAX_CLIENTS + 1}
    ) as c
    left join client_connections connection on connection.client_number = c.number
    left join deployments installed on installed.id = ${installedDeploymentId}
    order by c.id`.execute(db)
  if (rows.length > MAX_CLIENTS)
    throw validationError({
      path: 'selection',
      message: `finds more than ${MAX_CLIENTS} provider clients; add a condition, and deploy to the rest later`,
    })
  return rows
}

/** An expression for the client `c`: the deployment whose release its last successful update or rollback installed. */
const installedDeploymentId = sql<string | null>`(
  select case when u.kind = 'update' then u.deployment_id else u.back_to_deployment_id end
  from firmware_updates u where u.client_number = c.number and u.state = 'Succeeded'
  order by u.ended_at desc, u.id desc limit 1)`

function conditions(tenantId: string, selection: DeviceSelection) {
  const { deviceIds, search, providerId, modelId, nodeId, tag, firmwareReleaseId, deployment } = selection
  const [tagName, tagValue] = splitTag(tag ?? '')
  return [
    contains(search, ['c.id', 'c.display_name']),
    deviceIds && sql`c.id = any(${deviceIds}::text[])`,
    providerId && sql`c.provider_id = ${providerId}`,
    modelId && hasStartingModel([modelId]),
    nodeId && isInNode(tenantId, nodeId),
    tag &&
      sql`exists (select from provider_templates t where t.tenant_id = c.tenant_id and t.id = c.template_id
        and t.tags -> ${tagName}::text ? ${tagValue}::text)`,
    firmwareReleaseId &&
      sql`exists (select from deployments d where d.id = ${installedDeploymentId}
        and d.release_id = ${firmwareReleaseId}::uuid)`,
    deployment && isOfDeployment(deployment),
  ].filter((condition) => condition !== undefined && condition !== '')
}

const splitTag = (tag: string) => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)]

const isInNode = (tenantId: string, nodeId: string) => sql<SqlBool>`exists (
  select from asset_binding_remotes r join assets a on a.number = r.asset_number
  where r.tenant_id = c.tenant_id and r.instance_type = 'client' and r.instance_id = c.id
    and a.id in ${assetsInNode(tenantId, nodeId)})`

const isOfDeployment = ({ id, statuses, previousReleaseId }: NonNullable<DeviceSelection['deployment']>) =>
  sql<SqlBool>`c.number in (
    select u.client_number from firmware_updates u join deployments d on d.id = u.deployment_id
    where u.deployment_id = ${id} and u.kind = 'update'
      and ${statuses ? sql`u.state = any(${statuses}::text[])` : sql`true`}
      and ${
        previousReleaseId
          ? sql`${isLastStarted} and exists (select from deployments b where b.id = ${previousDeploymentId}
              and b.release_id = ${previousReleaseId}::uuid)`
          : sql`true`
      })`
