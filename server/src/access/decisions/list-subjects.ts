import type { PageRequest } from '../../http/page.ts'
import {
  answerQuestions,
  givesAccess,
  isMembershipRow,
  maybeMembership,
  ofResource,
  placesCte,
  type Resource,
  type Subject,
  tuples,
} from './access-sql.ts'
import type { Queries } from './queries.ts'
import { type Permission, permissionRule, type SubjectType } from '../schema.ts'

/** CTE `members`: the subjects in `related` and all their members, directly or indirectly. */
export const membersCte = `standing (type, id) as (
    select type, id from related
    union
    select r.subject_type, r.subject_id
    from standing s ${tuples(`${ofResource('s')} and ${maybeMembership}`)}
    where ${isMembershipRow}
  )`

/** CTE `related`: the subjects with a relation that gives access. */
export const relatedCte = `related (type, id) as (
    select distinct r.subject_type, r.subject_id
    from places y ${tuples(ofResource('y'))}
    where ${givesAccess}
  )`

const page = `select id from standing
  where type = $2 and ($3::text is null or id > $3)
  order by id
  limit $4`

/**
 * Lists the subjects of a type that have the permission on the object, in the order of ids.
 * @returns one id more than the page's limit if more follow
 */
export async function listSubjects(
  queries: Queries,
  {
    tenantId,
    resource,
    permission,
    subjectType,
    page: { limit, after },
  }: {
    tenantId: string
    resource: Resource
    permission: Permission
    subjectType: SubjectType
    page: PageRequest
  },
): Promise<string[]> {
  const answer = `with recursive ${placesCte}, ${relatedCte}, ${membersCte} ${page}`
  const question = { tenantId, resource, rule: permissionRule(resource.type, permission) }
  const more = [subjectType, after ?? null, limit + 1]
  const rows = await answerQuestions<{ id: string }>(queries, {
    name: 'subjects',
    answer,
    questions: [question],
    more,
  })
  return rows.map((row) => row.id)
}

/**
 * Lists the subjects of a type that are members of this one, directly or indirectly, and the subject itself; pages as in
 * `listSubjects`.
 */
export async function listMembers(
  queries: Queries,
  {
    tenantId,
    subject,
    subjectType,
    page: { limit, after },
  }: { tenantId: string; subject: Subject; subjectType: SubjectType; page: PageRequest },
): Promise<string[]> {
  const related = 'related (type, id) as (select asked.subject_type, asked.subject_id)'
  const answer = `with recursive ${related}, ${membersCte} ${page}`
  const more = [subjectType, after ?? null, limit + 1]
  const rows = await answerQuestions<{ id: string }>(queries, {
    name: 'standing',
    answer,
    questions: [{ tenantId, subject }],
    more,
  })
  return rows.map((row) => row.id)
}
