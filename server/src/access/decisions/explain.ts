/** Explains a decision: the chain of relations behind a yes, or the nearest missing relations behind a no. */
import { permissionQuestion } from './check.ts'
import {
  hasPrivilege,
  answerQuestions,
  relationsBetween,
  givesAccess,
  holders,
  isMembershipRow,
  maybeMembership,
  ofResource,
  ofSubject,
  placesCte,
  tuples,
} from './access-sql.ts'
import { type Resource, type Subject, subjectsCte } from './access-sql.ts'
import type { Privilege } from '../privileges.ts'
import type { Queries } from './queries.ts'
import { type RelationTuple, toTuple, type TupleRow } from '../relations/store.ts'
import {
  holderRelation,
  type Permission,
  rulePrivileges,
  type Relation,
  type Rule,
  permissionRule,
  subjectTypesFor,
} from '../schema.ts'

export interface Explanation {
  result: boolean
  /** The tuples from the subject to the resource, where each begins at the end of the one before. Empty for a no. */
  chain: RelationTuple[]
  /** Each of these tuples would turn a no into a yes. The nearest to the resource come first. */
  missing: RelationTuple[]
  /**
   * The places where a sufficient privilege is not effective, so that holding it would not help. The nearest come first.
   */
  withoutPrivilege: { type: 'organization' | 'tenant'; id: string; privilege: Privilege }[]
}

type Row = TupleRow & { kind: 'step' | 'given' | 'parent' | 'closed'; privilege: Privilege | null }

/**
 * Selects memberships of the subject, relations that give access, parents above the resource, and places without the
 * privilege.
 */
const answer = `
  with recursive ${subjectsCte}, ${placesCte},
  steps as (
    select r.* from subjects s ${tuples(`${ofSubject('s')} and ${maybeMembership}`)} where ${isMembershipRow}
  ),
  given as (select r.* from ${relationsBetween} where ${givesAccess}),
  parents as (
    select r.* from places y ${tuples(`${ofResource('y')} and r.relation = 'parent'`)}
    where (r.subject_type, r.subject_id) in (select above.type, above.id from places above where above.above)
  )
  select 'step' as kind, subject_type, subject_id, resource_type, resource_id, relation, null as privilege from steps
  union all select 'given', subject_type, subject_id, resource_type, resource_id, relation, null from given
  union all select 'parent', subject_type, subject_id, resource_type, resource_id, relation, null from parents
  union all select distinct 'closed', null, null, type, id, null, h.privilege
    from places cross join ${holders} where above and not ${hasPrivilege('places', 'h.privilege')}`

export async function explain(
  queries: Queries,
  {
    tenantId,
    subject,
    permission,
    resource,
  }: { tenantId: string; subject: Subject; permission: Permission; resource: Resource },
): Promise<Explanation> {
  const question = permissionQuestion(tenantId, subject, permission, resource)
  const rows = await answerQuestions<Row>(queries, { name: 'explain', answer, questions: [question] })
  const all = (kind: Row['kind']) => rows.filter((row) => row.kind === kind).map(toTuple)
  const [steps, parents] = [all('step'), all('parent')]
  const chains = all('given').map((given) => [
    ...findPath(steps, subject, { type: given.subjectType, id: given.subjectId }),
    given,
    ...findPath(parents, { type: given.resourceType, id: given.resourceId }, resource),
  ])
  const [chain] = chains.toSorted((a, b) => a.length - b.length)
  if (chain) return { result: true, chain, missing: [], withoutPrivilege: [] }
  const closed = rows.filter((row) => row.kind === 'closed')
  return {
    result: false,
    chain: [],
    ...findNearest(permissionRule(resource.type, permission), { subject, resource, parents, closed }),
  }
}

/** Finds the shortest path through the tuples, each from its subject to its resource. */
function findPath(links: RelationTuple[], from: Node, to: Node): RelationTuple[] {
  // The environment is above the tenant without a tuple.
  const start =
    from.type === 'environment' ? links.find((tuple) => tuple.subjectType === 'tenant') : undefined
  const first = start ? nodeKey('tenant', start.subjectId) : nodeKey(from.type, from.id)
  const ways = new Map<string, RelationTuple[]>([[first, []]])
  for (const [at, way] of ways) {
    if (at === nodeKey(to.type, to.id)) return way
    for (const tuple of links) {
      const next = nodeKey(tuple.resourceType, tuple.resourceId)
      if (nodeKey(tuple.subjectType, tuple.subjectId) === at && !ways.has(next))
        ways.set(next, [...way, tuple])
    }
  }
  return []
}

interface Node {
  type: string
  id: string
}
const nodeKey = (type: string, id: string) => `${type}:${id}`

function findNearest(
  rule: Rule,
  {
    subject,
    resource,
    parents,
    closed,
  }: { subject: Subject; resource: Resource; parents: RelationTuple[]; closed: Row[] },
) {
  const key = nodeKey(resource.type, resource.id)
  const organization = parents.find(
    (tuple) => nodeKey(tuple.resourceType, tuple.resourceId) === key && tuple.subjectType !== 'node',
  )
  const place = organization && ({ type: organization.subjectType, id: organization.subjectId } as Resource)
  const missing = [
    missingTuple(subject, rule.onObject[0], resource),
    rule.onObject.includes('parent') &&
      place?.type === 'organization' &&
      missingTuple(subject, 'member', place),
    missingTuple(subject, rule.onOrganizationAbove[0], place),
    ...rulePrivileges(rule)
      .filter((privilege) => closed.every((row) => row.privilege !== privilege))
      .map((privilege) => missingTuple(subject, holderRelation(privilege), place)),
  ]
  const withoutPrivilege = closed
    .map((row) => ({
      type: row.resource_type as 'organization' | 'tenant',
      id: row.resource_id,
      privilege: row.privilege!,
    }))
    .toSorted((a, b) => findPath(parents, a, resource).length - findPath(parents, b, resource).length)
  return { missing: missing.filter((tuple) => !!tuple), withoutPrivilege }
}

/** @returns undefined if the place does not exist or such a subject cannot have the relation */
function missingTuple({ type, id }: Subject, relation: Relation | undefined, on: Resource | undefined) {
  if (!on || !relation || !subjectTypesFor(on.type, relation).includes(type)) return undefined
  return { subjectType: type, subjectId: id, resourceType: on.type, resourceId: on.id, relation }
}
