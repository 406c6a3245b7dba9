/**
 * The relations that an organization shows to whoever may view it: those of users and groups to it, and its own
 * relations to objects that the caller may view. The same holds for `POST /v1/relations/query`.
 */
import { type Kysely, sql } from 'kysely'
import { isVisible } from '../access/decisions/is-visible.ts'
import { queriesIn } from '../access/decisions/queries.ts'
import { findReaches } from '../access/decisions/reach.ts'
import type { TupleRow } from '../access/relations/store.ts'
import { isWithinToken, callerSubject } from '../access/require.ts'
import {
  objectTypes,
  relations,
  type ResourceType,
  rulePrivileges,
  permissionRule,
} from '../access/schema.ts'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { organizationShape, type ShownRelations } from './schema.ts'
import type { OrganizationRow } from '../database/tables/organizations.ts'

/**
 * The limit for each kind and organization, the same as when creating one; `moreRelations` names the kinds that have
 * more.
 */
const MAX_SHOWN = 100

/** Relations that users can write. `parent` is shown by the objects themselves. */
const written = relations.filter((relation) => relation !== 'parent')

type Row = TupleRow & { organization_id: string }

/** Shapes organizations for an answer, with their relations, in three statements for any number of organizations. */
export async function toOrganizationRecords(db: Kysely<Tables>, caller: Caller, rows: OrganizationRow[]) {
  const tuples = await listTuples(
    db,
    caller,
    rows.map(({ id }) => id),
  )
  const byOrganization = new Map(rows.map(({ id }): [string, Row[]] => [id, []]))
  for (const tuple of tuples) byOrganization.get(tuple.organization_id)!.push(tuple)
  return rows.map((row) => ({ ...organizationShape(row), ...groupByRelation(byOrganization.get(row.id)!) }))
}

export const toOrganizationRecord = async (db: Kysely<Tables>, caller: Caller, row: OrganizationRow) =>
  (await toOrganizationRecords(db, caller, [row]))[0]!

async function listTuples(db: Kysely<Tables>, caller: Caller, ids: string[]): Promise<Row[]> {
  const { tenantId } = caller
  const reaches = await listReaches(db, caller, ids)
  const about = (subjectType: 'user' | 'group') => sql`
    (select r.* from relations r
    where r.tenant_id = ${tenantId} and r.resource_type = 'organization' and r.resource_id = o.id
      and r.subject_type = ${subjectType} and r.relation = any(${written}::text[])
    order by r.subject_id, r.relation limit ${MAX_SHOWN + 1})`
  const { rows } = await sql<Row>`
    select o.id as organization_id, r.subject_type, r.subject_id, r.resource_type, r.resource_id, r.relation
    from unnest(${ids}::text[]) as o (id)
    cross join lateral (
      ${about('user')} union all ${about('group')} union all
      (select r.* from relations r
      where r.tenant_id = ${tenantId} and r.subject_type = 'organization' and r.subject_id = o.id
        and r.relation = any(${written}::text[]) and ${isVisible(reaches, 'r.resource_type', 'r.resource_id')}
      order by r.resource_type, r.relation, r.resource_id limit ${MAX_SHOWN + 1})
    ) r`.execute(db)
  return rows
}

/** Finds what the caller may view of the types of objects to which the organizations have relations. */
async function listReaches(db: Kysely<Tables>, caller: Caller, ids: string[]) {
  const { tenantId } = caller
  const { rows } = await sql<{ type: ResourceType }>`
    select distinct resource_type as type from relations
    where tenant_id = ${tenantId} and subject_type = 'organization' and subject_id = any(${ids}::text[])
      and resource_type = any(${objectTypes}::text[]) and relation = any(${written}::text[])`.execute(db)
  const types = rows
    .map(({ type }) => type)
    .filter((type) => isWithinToken(caller, rulePrivileges(permissionRule(type, 'view'))))
  const request = { tenantId, subject: callerSubject(caller), permission: 'view' } as const
  return findReaches(
    queriesIn(db),
    types.map((type) => ({ ...request, type })),
  )
}

function groupByRelation(tuples: Row[]): { relations: ShownRelations; moreRelations?: string[] } {
  const of = (type: string) => tuples.filter((row) => row.subject_type === type)
  const all: ShownRelations = {
    GroupToOrgRelations: of('group').map((row) => ({ groupId: row.subject_id, relation: row.relation })),
    UserToOrgRelations: of('user').map((row) => ({ userId: row.subject_id, relation: row.relation })),
    OrgToResourceRelations: of('organization').map((row) => ({
      resourceId: row.resource_id,
      resourceType: row.resource_type,
      relation: row.relation,
    })),
  }
  const more = (Object.keys(all) as (keyof ShownRelations)[]).filter((kind) => all[kind].length > MAX_SHOWN)
  for (const kind of more) all[kind].length = MAX_SHOWN
  return { relations: all, ...(more.length > 0 && { moreRelations: more }) }
}
