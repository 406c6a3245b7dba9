/**
 * The organizations that may view an object in addition to its own: the tuples (organization, O, type, id, `viewer`).
 * [docs/access#relations]
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import Type, { type Static } from 'typebox'
import type { Tables } from '../../database/tables.ts'
import { validationError } from '../../http/errors.ts'
import { Uuid } from '../../http/shapes.ts'
import { insertRelations } from './store.ts'
import type { Resource } from '../decisions/access-sql.ts'
import type { ResourceType } from '../schema.ts'

export const AuthorizationContext = Type.Object(
  { viewableByOrganizations: Type.Array(Uuid, { maxItems: 1000, uniqueItems: true }) },
  { title: 'AuthorizationContext' },
)
export type AuthorizationContext = Static<typeof AuthorizationContext>

/**
 * @param tx the transaction that creates the object
 * @throws validation_error that names ids which are not organizations of the tenant
 */
export async function insertViewers(
  tx: Kysely<Tables>,
  tenantId: string,
  { type, id }: Resource,
  { viewableByOrganizations: organizationIds }: AuthorizationContext,
): Promise<void> {
  if (organizationIds.length === 0) return
  const rows = await tx
    .selectFrom('organizations')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', organizationIds)
    .forKeyShare()
    .execute()
  const known = new Set(rows.map((row) => row.id))
  const unknown = organizationIds.filter((organizationId) => !known.has(organizationId))
  if (unknown.length > 0)
    throw validationError({
      path: 'authorizationContext.viewableByOrganizations',
      message: `names no organization of this tenant: ${unknown.join(', ')}`,
    })
  const viewer = { resourceType: type, resourceId: id, relation: 'viewer' } as const
  await insertRelations(
    tx,
    tenantId,
    organizationIds.map((subjectId) => ({ subjectType: 'organization', subjectId, ...viewer })),
  )
}

/**
 * Replaces the viewers of the object.
 * @throws validation_error that names ids which are not organizations of the tenant
 */
export async function updateViewers(
  tx: Kysely<Tables>,
  tenantId: string,
  resource: Resource,
  context: AuthorizationContext,
): Promise<void> {
  await tx
    .deleteFrom('relations')
    .where('tenant_id', '=', tenantId)
    .where('resource_type', '=', resource.type)
    .where('resource_id', '=', resource.id)
    .where('subject_type', '=', 'organization')
    .where('relation', '=', 'viewer')
    .execute()
  await insertViewers(tx, tenantId, resource, context)
}

/**
 * A column with the `authorizationContext` of the object, for a room's own query. With `relation` among the inner
 * conditions PostgreSQL 18 would skip through every subject of the index and take milliseconds for each row.
 */
export const authorizationContextColumn = (
  type: ResourceType,
  tenantId: string,
  id: string,
): RawBuilder<AuthorizationContext> => sql`json_build_object('viewableByOrganizations', array(
    select o.subject_id
    from (
      select r.subject_id, r.relation from relations r
      where r.tenant_id = ${sql.ref(tenantId)} and r.resource_type = ${type} and r.resource_id = ${sql.ref(id)}::text
        and r.subject_type = 'organization'
      offset 0
    ) o
    where o.relation = 'viewer'
    order by o.subject_id
  ))`
