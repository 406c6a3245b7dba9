/** Relation tuples: who stands in which relation to what. So far written with a tenant; rooms read them in `principals`. */
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'

export interface RelationTuple {
  subjectType: 'user' | 'group' | 'organization' | 'tenant' | 'node'
  subjectId: string
  resourceType: string
  resourceId: string
  relation: string
}

/** The one object of type `environment`. */
export const ENVIRONMENT_ID = 'environment'

export async function insertRelations(
  db: Kysely<Tables>,
  tenantId: string,
  tuples: RelationTuple[],
): Promise<void> {
  const rows = tuples.map((tuple) => ({
    tenant_id: tenantId,
    subject_type: tuple.subjectType,
    subject_id: tuple.subjectId,
    resource_type: tuple.resourceType,
    resource_id: tuple.resourceId,
    relation: tuple.relation,
  }))
  await db
    .insertInto('relations')
    .values(rows)
    .onConflict((oc) => oc.doNothing())
    .execute()
}

/** An object belongs to its organization. [contract §3] */
export const insertParent = (
  db: Kysely<Tables>,
  tenantId: string,
  organizationId: string,
  resourceType: string,
  resourceId: string,
): Promise<void> =>
  insertRelations(db, tenantId, [
    { subjectType: 'organization', subjectId: organizationId, resourceType, resourceId, relation: 'parent' },
  ])

/** Whatever stood in relation to an object that is no more. */
export async function deleteRelationsOf(
  db: Kysely<Tables>,
  tenantId: string,
  resourceType: string,
  resourceId: string,
): Promise<void> {
  await db
    .deleteFrom('relations')
    .where('tenant_id', '=', tenantId)
    .where('resource_type', '=', resourceType)
    .where('resource_id', '=', resourceId)
    .execute()
}
