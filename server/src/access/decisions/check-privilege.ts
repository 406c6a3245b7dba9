import { check, privilegeQuestion } from './check.ts'
import { hasPrivilege, answerQuestions, placesCte, type Question, type Subject } from './access-sql.ts'
import type { Privilege } from '../privileges.ts'
import type { Queries } from './queries.ts'
import { checkAnywhere } from './reach.ts'
import { privilegeRule } from '../schema.ts'

export interface PrivilegeRequest {
  tenantId: string
  subject: Subject
  privilege: Privilege
  organizationId?: string
}

/**
 * Whether the subject holds the privilege in the organization, or without one in any organization of the tenant. For an
 * organization or a tenant as subject, without an organization, the question is whether its own privilege is effective.
 */
export async function checkPrivilege(
  queries: Queries,
  { tenantId, subject, privilege, organizationId }: PrivilegeRequest,
): Promise<boolean> {
  if (organizationId !== undefined)
    return check(queries, privilegeQuestion(tenantId, subject, privilege, organizationId))
  const rule = privilegeRule(privilege)
  if (subject.type === 'organization' || subject.type === 'tenant')
    return isEffective(queries, {
      tenantId,
      resource: { type: subject.type, id: subject.id },
      asPlace: true,
      rule,
    })
  const [yes] = await checkAnywhere(queries, [{ tenantId, subject, rule }])
  return yes!
}

async function isEffective(queries: Queries, question: Question): Promise<boolean> {
  const answer = `with recursive ${placesCte}
    select coalesce(bool_and(${hasPrivilege('places', 'asked.privilege[1]')}), false) as yes from places`
  const [row] = await answerQuestions<{ yes: boolean }>(queries, {
    name: 'effective',
    answer,
    questions: [question],
  })
  return row!.yes
}
