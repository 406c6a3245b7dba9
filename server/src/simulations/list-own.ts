import { type Kysely, sql } from 'kysely'
import { queriesIn } from '../access/decisions/queries.ts'
import { listOrganizationsOfPrivileges } from '../access/decisions/reach.ts'
import { callerSubject, isWithinToken } from '../access/require.ts'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'

const privilege = 'provider_client_management'

/** Lists those of the simulations that the caller may view: they are in organizations where the caller manages provider clients. */
export async function listOwnSimulations(
  db: Kysely<Tables>,
  caller: Caller,
  ids: string[],
): Promise<string[]> {
  if (!isWithinToken(caller, [privilege])) return []
  const { tenantId } = caller
  const question = { tenantId, subject: callerSubject(caller), privilege } as const
  const [organizationIds] = await listOrganizationsOfPrivileges(queriesIn(db), [question])
  const rows = await db
    .selectFrom('simulations')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`id = any(${ids}::uuid[]) and organization_id = any(${organizationIds}::uuid[])`)
    .execute()
  return rows.map(({ id }) => id)
}
