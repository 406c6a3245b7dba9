/**
 * Decides whether a subject may do something. Each decision reads the database, so that a revocation takes effect at
 * once.
 */
import {
  answerQuestions,
  relationsBetween,
  givesAccess,
  placesCte,
  type Question,
  type Resource,
  type Subject,
  subjectsCte,
} from './access-sql.ts'
import type { Queries } from './queries.ts'
import type { Privilege } from '../privileges.ts'
import { type Permission, privilegeRule, type Rule, permissionRule } from '../schema.ts'

export const permissionQuestion = (
  tenantId: string,
  subject: Subject,
  permission: Permission,
  resource: Resource,
): Question & { rule: Rule } => ({
  tenantId,
  subject,
  resource,
  rule: permissionRule(resource.type, permission),
})

/** The question whether the subject holds the privilege in that organization. */
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

const ctes = `with recursive ${subjectsCte}, ${placesCte}`
const isYes = `exists (select from ${relationsBetween} where ${givesAccess})`
const answer = `${ctes} select ${isYes} as yes`

/**
 * Answers all questions in one statement. An object that does not exist in the tenant gives a no.
 * @returns the answers in the order of the questions
 */
export async function checkMany(queries: Queries, questions: Question[]): Promise<boolean[]> {
  const rows = await answerQuestions<{ yes: boolean }>(queries, { name: 'check', answer, questions })
  const yes = questions.map(() => false)
  for (const row of rows) yes[row.number] = row.yes
  return yes
}

export async function check(queries: Queries, question: Question): Promise<boolean> {
  const [yes] = await checkMany(queries, [question])
  return yes!
}

/**
 * Returns the rows of a query, or none if the answer to the question is no. It saves a second statement after the check.
 * @param rows a select with its parameters from `$2` on; `asked.tenant_id` is the question's tenant
 */
export const listIfYes = <R extends object>(
  queries: Queries,
  question: Question,
  { name, rows, values }: { name: string; rows: string; values: unknown[] },
): Promise<R[]> =>
  answerQuestions<R>(queries, {
    name,
    answer: `${ctes} select listed.* from (${rows}) listed where ${isYes}`,
    questions: [question],
    more: values,
  })
