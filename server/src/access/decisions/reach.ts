/**
 * The reach of a subject: the organizations, tree nodes and single objects through which it has a permission. Lists
 * filter by it in their own query (`visible-to.ts`), so that the cost of a page depends on the page alone.
 * [docs/access#lists]
 */
import {
  answerQuestions,
  holders,
  ofSubject,
  type Question,
  type Subject,
  subjectsCte,
  tuples,
} from './access-sql.ts'
import type { Privilege } from '../privileges.ts'
import type { Queries } from './queries.ts'
import {
  parentTypes,
  type Permission,
  privilegeRule,
  type ResourceType,
  permissionRule,
  type SubjectType,
} from '../schema.ts'

/** Objects of one type: all of them, or those of certain organizations together with single ones; of these, `only` some. */
export interface Reach {
  tenantId: string
  type: ResourceType
  everything: boolean
  organizationIds: string[]
  ids: string[]
  /** Ids to which the caller's token is limited; absent for all of these objects. */
  only?: string[]
}

const hasPrivilege = (table: 'organizations' | 'tenants', id: string, privilege: string) =>
  `exists (select from ${table} t where t.id = ${id} and ${privilege} = any(t.privileges))`

const children = (type: SubjectType, id: string, of: string) =>
  tuples(
    `r.subject_type = '${type}' and r.subject_id = ${id} and r.resource_type = ${of} and r.relation = 'parent'`,
  )

/** SQL condition: the privilege is effective in the organization. */
const effectiveIn = (id: string, privilege: string) => `not exists (
  with recursive up (id) as (
    select ${id}
    union
    select r.subject_id from up ${tuples("r.resource_type = 'organization' and r.resource_id = up.id and r.relation = 'parent'")}
    where r.subject_type = 'organization'
  )
  select from up where not ${hasPrivilege('organizations', 'up.id::uuid', privilege)}
)`

/**
 * CTE `start`: the organizations where a relation of the subject takes effect, with the privilege that it needs. Null
 * means that the relation needs none, so that the privileges of organizations below do not limit it.
 */
const startCtes = `${subjectsCte},
  held (type, id, privilege) as (
    select distinct r.resource_type, r.resource_id, by.privilege
    from subjects s ${tuples(`${ofSubject('s')} and r.resource_type in ('organization', 'tenant', 'environment')`)}
    cross join lateral (
      select null::text where r.relation = any(asked.on_organization_above)
      union all
      select h.privilege from ${holders} where h.relation = r.relation
    ) by (privilege)
  ),
  tenant (open, privileges) as (
    select exists (select from held where type <> 'organization' and privilege is null),
      array(
        select distinct held.privilege from held
        where held.type <> 'organization' and ${hasPrivilege('tenants', 'asked.tenant_id', 'held.privilege')}
      )
  ),
  roots (id, privilege) as (
    select r.resource_id, of_tenant.privilege
    from tenant cross join lateral unnest(tenant.privileges) as of_tenant (privilege)
    ${children('tenant', 'asked.tenant_id', `'organization'`)}
  ),
  start (id, privilege) as (
    select h.id, h.privilege from held h, tenant
    where h.type = 'organization' and not tenant.open and (
      h.privilege is null
      or (${hasPrivilege('tenants', 'asked.tenant_id', 'h.privilege')} and ${effectiveIn('h.id', 'h.privilege')})
    )
    union
    select roots.id, roots.privilege from roots, tenant
    where not tenant.open and ${hasPrivilege('organizations', 'roots.id::uuid', 'roots.privilege')}
  )`

/** CTE `below`: those organizations and all below them in which the privilege is effective. */
const belowCte = `below (id, privilege) as (
    select id, privilege from start
    union
    select r.resource_id, below.privilege from below ${children('organization', 'below.id', `'organization'`)}
    where below.privilege is null or ${hasPrivilege('organizations', 'r.resource_id::uuid', 'below.privilege')}
  )`

/** CTE `inside`: the tree nodes on which the subject has an inheritable relation, and all nodes below them. */
const insideCte = `inside (id) as (
    select r.resource_id
    from subjects s ${tuples(`${ofSubject('s')} and r.resource_type = 'node'`)}
    where r.relation = any(asked.on_node_above)
    union
    select r.resource_id from inside ${children('node', 'inside.id', `'node'`)}
  )`

/**
 * CTE `single`: objects with a direct relation, objects in the nodes, and organizations, which are always listed
 * individually.
 */
const singleCte = `single (id) as (
    select r.resource_id from subjects s ${tuples(`${ofSubject('s')} and r.resource_type = asked.resource_type`)}
    where r.relation = any(asked.on_object)
      -- What belongs to an organization is found by that, without its ids.
      and (r.relation <> 'parent' or s.type <> 'organization')
    union
    select r.resource_id from inside ${children('node', 'inside.id', 'asked.resource_type')}
    union
    select roots.id from roots where asked.resource_type = 'organization'
    union
    select start.id from start where asked.resource_type = 'organization' and start.privilege is not null
    union
    select r.resource_id from below ${children('organization', 'below.id', "'organization'")}
    where asked.resource_type = 'organization'
  )`

const reachAnswer = `
  with recursive ${startCtes}, ${belowCte}, ${insideCte}, ${singleCte}
  select tenant.open, cardinality(tenant.privileges) > 0 as holder,
    array(
      select id from below
      union
      select s.id from subjects s where s.type = 'organization' and 'parent' = any(asked.on_object)
    ) as organization_ids,
    array(select id from single) as ids
  from tenant`

interface ReachRow {
  open: boolean
  holder: boolean
  organization_ids: string[]
  ids: string[]
}

export interface ReachRequest {
  tenantId: string
  subject: Subject
  type: ResourceType
  permission: Permission
}

/** Finds the reaches of all requests in one statement, in the order of the requests. */
export async function findReaches(queries: Queries, requests: ReachRequest[]): Promise<Reach[]> {
  const questions = requests.map(({ tenantId, subject, type, permission }) => ({
    tenantId,
    subject,
    resource: { type },
    rule: permissionRule(type, permission),
  }))
  const rows = await answerQuestions<ReachRow>(queries, { name: 'reach', answer: reachAnswer, questions })
  return rows.toSorted((a, b) => a.number - b.number).map((row) => toReach(requests[row.number]!, row))
}

const toReach = ({ tenantId, type }: ReachRequest, row: ReachRow): Reach => ({
  tenantId,
  type,
  everything: row.open || (row.holder && parentTypes(type).every((parent) => parent === 'tenant')),
  organizationIds: type === 'organization' ? [] : row.organization_ids,
  ids: row.ids,
})

export async function findReach(
  queries: Queries,
  {
    tenantId,
    subject,
    type,
    permission = 'view',
  }: { tenantId: string; subject: Subject; type: ResourceType; permission?: Permission },
): Promise<Reach> {
  const [reach] = await findReaches(queries, [{ tenantId, subject, type, permission }])
  return reach!
}

export interface PrivilegeRequest {
  tenantId: string
  subject: Subject
  privilege: Privilege
}

/**
 * Lists the organizations in which each subject holds the privilege, sorted: one statement, in the order of the
 * requests.
 */
export async function listOrganizationsOfPrivileges(
  queries: Queries,
  requests: PrivilegeRequest[],
): Promise<string[][]> {
  const answer = `with recursive ${startCtes}, ${belowCte} select array(select distinct id from below order by id) as ids`
  const questions = requests.map(({ privilege, ...request }) => ({
    ...request,
    rule: privilegeRule(privilege),
  }))
  const rows = await answerQuestions<{ ids: string[] }>(queries, {
    name: 'organizations of privileges',
    answer,
    questions,
  })
  return rows.toSorted((a, b) => a.number - b.number).map((row) => row.ids)
}

/** Whether each subject holds the privilege in any organization of the tenant, in the order of the questions. */
export async function checkAnywhere(queries: Queries, questions: Question[]): Promise<boolean[]> {
  const answer = `with recursive ${startCtes} select exists (select from start) as yes`
  const rows = await answerQuestions<{ yes: boolean }>(queries, { name: 'anywhere', answer, questions })
  return rows.toSorted((a, b) => a.number - b.number).map((row) => row.yes)
}
