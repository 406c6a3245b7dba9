/**
 * SQL fragments for decisions about one object: the subjects that a subject implies, the places above the object, and
 * the relations between the two that give access. [docs/access]
 *
 * The fragments refer to one question, the row `asked`; one statement answers many questions. Tuples are looked up by
 * their whole key, so that 10,000 relations on one object or of one subject do not make a query slow.
 */
import { ENVIRONMENT_ID } from '../relations/store.ts'
import type { Queries } from './queries.ts'
import { type ResourceType, type Rule, impliedMemberships, type SubjectType } from '../schema.ts'

export interface Subject {
  type: SubjectType
  id: string
}
export interface Resource {
  type: ResourceType
  id: string
}

export interface Question {
  tenantId: string
  /** Absent if the question concerns only memberships. */
  rule?: Rule
  /** Absent if the question asks for subjects. */
  subject?: Subject
  /** Without an id if the question asks for resources. */
  resource?: { type: ResourceType; id?: string }
  /** True if the resource is not the object itself but the organization that the object would belong to. */
  asPlace?: boolean
}

/**
 * The questions are passed as one JSON text. PostgreSQL would count the entries of arrays and replan each time because a
 * plan for so few rows seems to pay off.
 */
const questionsTable = `json_to_recordset($1::json) as asked (
  number int, tenant_id text, subject_type text, subject_id text, resource_type text, resource_id text, as_place bool,
  on_object text[], on_node_above text[], on_organization_above text[], holder text[], privilege text[]
)`

const toQuestionRow = ({ tenantId, subject, resource, asPlace = false, rule }: Question, number: number) => ({
  number,
  tenant_id: tenantId,
  subject_type: subject?.type,
  subject_id: subject?.id,
  resource_type: resource?.type,
  resource_id: resource?.id,
  as_place: asPlace,
  on_object: rule?.onObject,
  on_node_above: rule?.onNodeAbove,
  on_organization_above: rule?.onOrganizationAbove,
  // The columns of one table: the relation and the privilege that it needs.
  holder: rule?.byPrivilege.map(({ relation }) => relation),
  privilege: rule?.byPrivilege.map(({ privilege }) => privilege),
})

/**
 * @param answer a select over `asked`; returned are its columns and `number`, the index of the question
 * @param more values from `$2` on
 */
export async function answerQuestions<R extends object>(
  queries: Queries,
  {
    name,
    answer,
    questions,
    more = [],
  }: { name: string; answer: string; questions: Question[]; more?: unknown[] },
): Promise<(R & { number: number })[]> {
  const text = `select asked.number, answer.* from ${questionsTable} cross join lateral (${answer}) answer`
  const values = [JSON.stringify(questions.map(toQuestionRow)), ...more]
  return (await queries.query<R & { number: number }>({ name: `access ${name}`, text, values })).rows
}

/**
 * Joins the tuples `r` that fulfil the condition, looked up for each row before. PostgreSQL does not know how few they
 * are and would sometimes read all tuples of a tenant; `offset 0` prevents that.
 */
export const tuples = (condition: string) => `cross join lateral (
    select r.subject_type, r.subject_id, r.resource_type, r.resource_id, r.relation from relations r
    where r.tenant_id = asked.tenant_id and ${condition}
    offset 0
  ) r`

export const ofSubject = (alias: string) => `r.subject_type = ${alias}.type and r.subject_id = ${alias}.id`
export const ofResource = (alias: string) => `r.resource_type = ${alias}.type and r.resource_id = ${alias}.id`

const quoted = (words: string[]) => [...new Set(words)].map((word) => `'${word}'`).join(', ')
const membershipRows = impliedMemberships
  .map((step) => `('${step.subject}', '${step.relation}', '${step.of}')`)
  .join(', ')

/** SQL condition: `r` may be a membership. It is narrow enough for an index lookup; `isMembershipRow` decides. */
export const maybeMembership = `r.resource_type in (${quoted(impliedMemberships.map((step) => step.of))})
  and r.relation in (${quoted(impliedMemberships.map((step) => step.relation))})`
export const isMembershipRow = `(r.subject_type, r.relation, r.resource_type) in (${membershipRows})`

/** CTE `subjects`: the subject and everything that its memberships imply. */
export const subjectsCte = `subjects (type, id) as (
    select asked.subject_type, asked.subject_id
    union
    select r.resource_type, r.resource_id
    from subjects s ${tuples(`${ofSubject('s')} and ${maybeMembership}`)}
    where ${isMembershipRow}
  )`

/** The relations that give access by a privilege, with that privilege. */
export const holders = `unnest(asked.holder, asked.privilege) as h (relation, privilege)`

const privilegesAt = (type: string, id: string) => `case ${type}
    when 'organization' then (select o.privileges from organizations o where o.id = ${id}::uuid)
    when 'tenant' then (select t.privileges from tenants t where t.id = ${id})
    end`

/** SQL condition: the place with this alias has the privilege. A place without a list of privileges has all of them. */
export const hasPrivilege = (alias: string, privilege: string) =>
  `(${alias}.privileges is null or ${privilege} = any(${alias}.privileges))`

/**
 * CTE `places`: the object (`above` is false) and everything above it. It does not change type on the way up, except to
 * the tenant: the organization of a node is not above the contents of the node. An object without a parent does not
 * exist. `privileges` are those of the place; null means all. The CTE is a set, so that it would end in a cycle of
 * parents too.
 */
export const placesCte = `places (above, type, id, privileges) as (
    (
      select asked.as_place, p.resource_type, p.resource_id, ${privilegesAt('p.resource_type', 'p.resource_id')}
      from relations p
      where p.tenant_id = asked.tenant_id and p.resource_type = asked.resource_type
        and p.resource_id = asked.resource_id and p.relation = 'parent'
      limit 1
    )
    union all
    select asked.as_place, asked.resource_type, asked.resource_id, ${privilegesAt('asked.resource_type', 'asked.resource_id')}
    where (asked.resource_type, asked.resource_id) in (('tenant', asked.tenant_id), ('environment', '${ENVIRONMENT_ID}'))
    union
    select true, p.type, p.id, ${privilegesAt('p.type', 'p.id')}
    from places y
    cross join lateral (
      select p.subject_type as type, p.subject_id as id
      from relations p
      where p.tenant_id = asked.tenant_id and p.resource_type = y.type and p.resource_id = y.id
        and p.relation = 'parent' and (not y.above or p.subject_type in (y.type, 'tenant'))
      union all
      select 'environment', '${ENVIRONMENT_ID}' where y.type = 'tenant'
    ) p
  )`

/** "A privilege is effective only where the organization's privileges and those of all organizations above contain it." */
const effective = `not exists (select from places above where above.above and not ${hasPrivilege('above', 'h.privilege')})`

/** SQL condition: the relation `r` on the place `y` gives access. */
export const givesAccess = `case
    when not y.above and r.relation = any(asked.on_object) then true
    when y.type = 'node' then y.above and r.relation = any(asked.on_node_above)
    when y.above and r.relation = any(asked.on_organization_above) then true
    when y.type not in ('organization', 'tenant', 'environment') then false
    else exists (
      select from ${holders}
      where h.relation = r.relation and (y.above or ${hasPrivilege('y', 'h.privilege')}) and ${effective}
    )
  end`

/** FROM clause: the relations between the implied subjects and the places. */
export const relationsBetween = `places y cross join subjects s ${tuples(`${ofResource('y')} and ${ofSubject('s')}`)}`
