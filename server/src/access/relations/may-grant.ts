/** "Nobody grants a relation that gives more than they hold themselves." [docs/access#granting] */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { checkMany, permissionQuestion } from '../decisions/check.ts'
import { listOutside } from '../decisions/list-resources.ts'
import {
  answerQuestions,
  ofSubject,
  type Question,
  type Subject,
  subjectsCte,
  tuples,
} from '../decisions/access-sql.ts'
import { privileges } from '../privileges.ts'
import { type Queries, queriesIn } from '../decisions/queries.ts'
import { findReaches, type Reach } from '../decisions/reach.ts'
import { type RelationTuple, type TupleRow, toTuple } from './store.ts'
import {
  isMembership,
  type Permission,
  permissions,
  type Relation,
  relationsHolding,
  permissionRule,
} from '../schema.ts'

/** Whether the grantor holds everything that the relation gives. */
export async function mayGrant(
  tx: Kysely<Tables>,
  tenantId: string,
  grantor: Subject,
  tuple: RelationTuple,
): Promise<boolean> {
  const queries = queriesIn(tx)
  const given = [tuple, ...(await listInherited(queries, tenantId, grantor, tuple))]
  const answers = await checkMany(
    queries,
    given.flatMap((each) => listQuestions(tenantId, grantor, each)),
  )
  if (answers.includes(false)) return false
  for (const each of given) if (!(await holdsWhatNodeContains(tx, tenantId, grantor, each))) return false
  return true
}

/**
 * Lists questions for everything that the relation gives: permissions on the object, and for a place also those on
 * objects below.
 */
function listQuestions(
  tenantId: string,
  grantor: Subject,
  { resourceType, resourceId, relation }: RelationTuple,
): Question[] {
  const resource = { type: resourceType, id: resourceId }
  const onObject = permissions
    .filter((permission) => permissionRule(resourceType, permission).onObject.includes(relation))
    .map((permission) => permissionQuestion(tenantId, grantor, permission, resource))
  if (!['organization', 'tenant', 'environment'].includes(resourceType)) return onObject
  // It does not matter whether a privilege is effective there now, since that may change.
  const holding = (onOrganizationAbove: Relation[]): Question => ({
    tenantId,
    subject: grantor,
    resource,
    asPlace: true,
    rule: { onObject: [], onNodeAbove: [], onOrganizationAbove, byPrivilege: [] },
  })
  const seeing = permissionRule('asset', 'view').onOrganizationAbove
  const below = [...privileges.map(relationsHolding), seeing]
    .filter((holders) => holders.includes(relation))
    .map(holding)
  return [...onObject, ...below, ...(relation === 'member' ? [holding(seeing)] : [])]
}

/**
 * A new member of a group or organization gets everything that it has. The grantor must hold that too, unless the
 * grantor is a member. What an organization may only view comes with the relation of its members.
 */
async function listInherited(queries: Queries, tenantId: string, grantor: Subject, tuple: RelationTuple) {
  if (!isMembership(tuple)) return []
  const answer = `with recursive ${subjectsCte}
    select r.subject_type, r.subject_id, r.resource_type, r.resource_id, r.relation
    from subjects s ${tuples(`${ofSubject('s')} and r.relation <> 'parent'`)}
    where not (r.relation = 'viewer' and r.subject_type = 'organization')
      and (s.type, s.id) not in (select * from json_to_recordset($2::json) as own (type text, id text))`
  const own = await listSubjectSet(queries, tenantId, grantor)
  const question = { tenantId, subject: { type: tuple.resourceType, id: tuple.resourceId } as Subject }
  const rows = await answerQuestions<TupleRow>(queries, {
    name: 'inherited',
    answer,
    questions: [question],
    more: [JSON.stringify(own)],
  })
  return rows.map(toTuple)
}

/** Lists the subject and everything that its memberships imply. */
async function listSubjectSet(queries: Queries, tenantId: string, subject: Subject) {
  const answer = `with recursive ${subjectsCte} select type, id from subjects`
  return answerQuestions<Subject>(queries, {
    name: 'subject set',
    answer,
    questions: [{ tenantId, subject }],
  })
}

/**
 * A node passes its relations on to its contents, including objects of organizations in which the grantor may hold less.
 */
async function holdsWhatNodeContains(
  tx: Kysely<Tables>,
  tenantId: string,
  grantor: Subject,
  tuple: RelationTuple,
) {
  const { resourceType, resourceId, relation } = tuple
  if (resourceType !== 'node') return true
  const handedDown = (permission: Permission) =>
    permissionRule('asset', permission).onNodeAbove.includes(relation)
  const requests = (['node', 'asset'] as const).flatMap((type) =>
    permissions.filter(handedDown).map((permission) => ({ tenantId, subject: grantor, type, permission })),
  )
  const reaches = await findReaches(queriesIn(tx), requests)
  const contained = await listContained(queriesIn(tx), tenantId, resourceId)
  for (const reach of reaches) {
    const ids = contained.filter(({ type }) => type === reach.type).map(({ id }) => id)
    const inside: Reach = { ...reach, everything: false, organizationIds: [], ids }
    if ((await listOutside(tx, inside, reach, 1)).total > 0) return false
  }
  return true
}

/** Lists the nodes and assets below the node. */
async function listContained(queries: Queries, tenantId: string, nodeId: string) {
  const answer = `
    with recursive contained (type, id) as (
      select 'node', asked.resource_id
      union
      select r.resource_type, r.resource_id
      from contained c ${tuples(`${ofSubject('c')} and r.relation = 'parent'`)}
      where c.type = 'node'
    )
    select type, id from contained`
  return answerQuestions<{ type: string; id: string }>(queries, {
    name: 'contained',
    answer,
    questions: [{ tenantId, resource: { type: 'node', id: nodeId } }],
  })
}
