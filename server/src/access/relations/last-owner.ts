import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'
import { relatedCte, membersCte } from '../decisions/list-subjects.ts'
import { answerQuestions, placesCte, type Question } from '../decisions/access-sql.ts'
import { queriesIn } from '../decisions/queries.ts'

/** Whether an enabled user owns the tenant, directly or through a group. */
const answer = `
  with recursive ${placesCte}, ${relatedCte}, ${membersCte}
  select exists (
    select from standing s
    join users u on u.id = case when s.type = 'user' then s.id::uuid end and u.disabled_at is null
  ) as yes`

/**
 * Requires that the tenant has an owner left [docs/access#relations]. Runs after the change, in its transaction.
 * @throws conflict
 */
export async function requireOwnerLeft(tx: Kysely<Tables>, tenantId: string): Promise<void> {
  // The lock serializes two owners who remove each other.
  await tx.selectFrom('tenants').select('id').where('id', '=', tenantId).forNoKeyUpdate().execute()
  const question: Question = {
    tenantId,
    resource: { type: 'tenant', id: tenantId },
    rule: { onObject: ['owner'], onNodeAbove: [], onOrganizationAbove: [], byPrivilege: [] },
  }
  const [row] = await answerQuestions<{ yes: boolean }>(queriesIn(tx), {
    name: 'owner',
    answer,
    questions: [question],
  })
  if (!row!.yes)
    throw new ApiError(
      'conflict',
      'The tenant would have no owner left. Make another user owner of the tenant first.',
    )
}
