/** May this subject do that? Answered from the database each time, so that what was taken away is gone at once. */
import {
  ask,
  between,
  gives,
  placesCte,
  type Question,
  type Resource,
  type Subject,
  subjectsCte,
} from './matching.ts'
import type { Queries } from './queries.ts'
import type { Privilege } from './privileges.ts'
import { type Permission, privilegeRule, ruleOf } from './schema.ts'

export const permissionQuestion = (
  tenantId: string,
  subject: Subject,
  permission: Permission,
  resource: Resource,
): Question => ({ tenantId, subject, resource, rule: ruleOf(resource.type, permission) })

/** Whether the subject holds the privilege in that organization. */
export const privilegeQuestion = (
  tenantId: string,
  subject: Subject,
  privilege: Privilege,
  organizationId: string,
): Question => ({
  tenantId,
  subject,
  resource: { type: 'organization', id: organizationId },
  asPlace: true,
  rule: privilegeRule(privilege),
})

const answer = `
  with recursive ${subjectsCte}, ${placesCte}
  select exists (select from ${between} where ${gives}) as yes`

/**
 * One statement for all of them. What does not exist in the tenant is a no.
 * @returns the answers in the questions' order
 */
export async function checkMany(queries: Queries, questions: Question[]): Promise<boolean[]> {
  const rows = await ask<{ yes: boolean }>(queries, 'check', answer, questions)
  const yes = questions.map(() => false)
  for (const row of rows) yes[row.number] = row.yes
  return yes
}

export async function check(queries: Queries, question: Question): Promise<boolean> {
  const [yes] = await checkMany(queries, [question])
  return yes!
}
