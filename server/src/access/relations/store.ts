/** Stores relation tuples, each of which gives a subject a relation to a resource. [docs/access#relations] */
import type { Insertable, Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Relation, ResourceType, SubjectType } from '../schema.ts'

export interface RelationTuple {
  subjectType: SubjectType
  subjectId: string
  resourceType: ResourceType
  resourceId: string
  relation: Relation
}

/** The one object of type `environment`. */
export const ENVIRONMENT_ID = 'environment'

const toRow = (tenantId: string, tuple: RelationTuple): Insertable<Tables['relations']> => ({
  tenant_id: tenantId,
  subject_type: tuple.subjectType,
  subject_id: tuple.subjectId,
  resource_type: tuple.resourceType,
  resource_id: tuple.resourceId,
  relation: tuple.relation,
})

export interface TupleRow {
  subject_type: string
  subject_id: string
  resource_type: string
  resource_id: string
  relation: string
}

export const toTuple = (row: TupleRow): RelationTuple => ({
  subjectType: row.subject_type as SubjectType,
  subjectId: row.subject_id,
  resourceType: row.resource_type as ResourceType,
  resourceId: row.resource_id,
  relation: row.relation as Relation,
})

/** @returns the number of new tuples */
export async function insertRelations(
  db: Kysely<Tables>,
  tenantId: string,
  tuples: RelationTuple[],
): Promise<number> {
  const rows = tuples.map((tuple) => toRow(tenantId, tuple))
  const result = await db
    .insertInto('relations')
    .values(rows)
    .onConflict((oc) => oc.doNothing())
    .executeTakeFirstOrThrow()
  return Number(result.numInsertedOrUpdatedRows)
}

/** Assigns an object to its organization. [docs/access#relations] */
export const insertParent = (
  db: Kysely<Tables>,
  resourceType: ResourceType,
  row: { tenant_id: string; organization_id: string; id: string },
): Promise<number> =>
  insertRelations(db, row.tenant_id, [
    {
      subjectType: 'organization',
      subjectId: row.organization_id,
      resourceType,
      resourceId: row.id,
      relation: 'parent',
    },
  ])

/** Assigns a user, a group or a root organization to the tenant. An object without a parent counts as not existing. */
export const insertTenantParent = (
  db: Kysely<Tables>,
  tenantId: string,
  resourceType: 'user' | 'group' | 'organization',
  resourceId: string,
): Promise<number> =>
  insertRelations(db, tenantId, [
    { subjectType: 'tenant', subjectId: tenantId, resourceType, resourceId, relation: 'parent' },
  ])

/**
 * Prevents the deletion of an object until the transaction ends: the deletion waits in `deleteRelationsOfObjects`.
 * @returns whether the object exists
 */
export async function lockObject(
  tx: Kysely<Tables>,
  tenantId: string,
  { type, id }: { type: ResourceType; id: string },
): Promise<boolean> {
  // The environment is never deleted, and deleting a tenant deletes all its relations.
  if (type === 'environment') return id === ENVIRONMENT_ID
  if (type === 'tenant') return id === tenantId
  const parents = await selectParents(tx, tenantId, type, [id]).forKeyShare().execute()
  return parents.length > 0
}

const selectParents = (db: Kysely<Tables>, tenantId: string, type: ResourceType, ids: string[]) =>
  db
    .selectFrom('relations')
    .select('relation')
    .where('tenant_id', '=', tenantId)
    .where('resource_type', '=', type)
    .where('resource_id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .where('relation', '=', 'parent')

/** @returns whether the relation existed */
export async function deleteRelation(
  db: Kysely<Tables>,
  tenantId: string,
  tuple: RelationTuple,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('relations')
    .where('tenant_id', '=', tenantId)
    .where('resource_type', '=', tuple.resourceType)
    .where('resource_id', '=', tuple.resourceId)
    .where('subject_type', '=', tuple.subjectType)
    .where('subject_id', '=', tuple.subjectId)
    .where('relation', '=', tuple.relation)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Deletes all relations of a deleted object, as resource and as subject. */
export const deleteObjectRelations = (
  db: Kysely<Tables>,
  tenantId: string,
  resourceType: ResourceType,
  resourceId: string,
): Promise<void> => deleteRelationsOfObjects(db, tenantId, resourceType, [resourceId])

/** Deletes all relations of many objects of one type. */
export async function deleteRelationsOfObjects(
  db: Kysely<Tables>,
  tenantId: string,
  type: ResourceType,
  ids: string[],
): Promise<void> {
  // A statement does not see rows that commit while it waits for a lock, so the locks are taken in a statement of their
  // own.
  await selectParents(db, tenantId, type, ids).orderBy('resource_id').forUpdate().execute()
  const ofTenant = db.deleteFrom('relations').where('tenant_id', '=', tenantId)
  await ofTenant
    .where('resource_type', '=', type)
    .where('resource_id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .execute()
  await ofTenant
    .where('subject_type', '=', type)
    .where('subject_id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .execute()
}

/** Deletes relations that other users have on a user. */
export const deleteRelationsOfOtherUsers = (db: Kysely<Tables>, tenantId: string, userId: string) =>
  db
    .deleteFrom('relations')
    .where('tenant_id', '=', tenantId)
    .where('resource_type', '=', 'user')
    .where('resource_id', '=', userId)
    .where('subject_type', '=', 'user')
    .where('subject_id', '!=', userId)
    .execute()
