import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Reach } from '../decisions/reach.ts'
import { type RelationTuple, toTuple } from './store.ts'
import type { Relation, ResourceType, SubjectType } from '../schema.ts'
import { visibleParent } from '../decisions/visible-to.ts'

/** The filter of a list of relations. [docs/access#relations] */
export interface RelationFilter {
  resourceType: ResourceType
  optionalResourceId?: string
  optionalRelation?: Relation
  optionalSubjectFilter?: { subjectType: SubjectType; optionalSubjectId?: string }
}

const key = ['resource_id', 'subject_type', 'subject_id', 'relation'] as const

/** The tuple's key within its type, for the cursor of a page. */
export const tupleKey = (tuple: RelationTuple): string =>
  JSON.stringify([tuple.resourceId, tuple.subjectType, tuple.subjectId, tuple.relation])

export function isTupleKey(text: string): boolean {
  try {
    const parts: unknown = JSON.parse(text)
    return (
      Array.isArray(parts) && parts.length === key.length && parts.every((part) => typeof part === 'string')
    )
  } catch {
    return false
  }
}

interface RelationList {
  tenantId: string
  filter: RelationFilter
  /** Limits the objects to this reach; undefined if the caller was checked otherwise. */
  within: Reach | undefined
  page: { limit: number; after: string | undefined }
}

/** Returns one tuple more than the page's limit if more follow. */
export async function listRelations(
  db: Kysely<Tables>,
  { tenantId, filter, within, page: { limit, after } }: RelationList,
): Promise<RelationTuple[]> {
  const rows = await selectRelations(db, tenantId, filter)
    .$if(within !== undefined && !within.everything, (q) =>
      q.where('resource_id', 'in', selectReached(db, tenantId, filter.resourceType, within!)),
    )
    .$if(after !== undefined, (q) =>
      q.where(
        sql<boolean>`(${sql.join(key.map((column) => sql.ref(column)))}) > (${sql.join(JSON.parse(after!) as string[])})`,
      ),
    )
    .orderBy('resource_id')
    .orderBy('subject_type')
    .orderBy('subject_id')
    .orderBy('relation')
    .limit(limit + 1)
    .execute()
  return rows.map(toTuple)
}

function selectRelations(
  db: Kysely<Tables>,
  tenantId: string,
  {
    resourceType,
    optionalResourceId: resourceId,
    optionalRelation: relation,
    optionalSubjectFilter: subject,
  }: RelationFilter,
) {
  return db
    .selectFrom('relations')
    .select(['subject_type', 'subject_id', 'resource_type', 'resource_id', 'relation'])
    .where('tenant_id', '=', tenantId)
    .where('resource_type', '=', resourceType)
    .$if(resourceId !== undefined, (q) => q.where('resource_id', '=', resourceId!))
    .$if(relation !== undefined, (q) => q.where('relation', '=', relation!))
    .$if(subject !== undefined, (q) => q.where('subject_type', '=', subject!.subjectType))
    .$if(subject?.optionalSubjectId !== undefined, (q) =>
      q.where('subject_id', '=', subject!.optionalSubjectId!),
    )
}

/** Selects the ids of the objects of this type within the reach. */
const selectReached = (db: Kysely<Tables>, tenantId: string, type: ResourceType, within: Reach) =>
  db
    .selectFrom('relations as parent')
    .select('parent.resource_id')
    .where('parent.tenant_id', '=', tenantId)
    .where('parent.resource_type', '=', type)
    .where('parent.relation', '=', sql.lit('parent'))
    .where('parent.subject_type', 'in', ['organization', 'tenant'])
    .where(visibleParent(within, 'parent'))
