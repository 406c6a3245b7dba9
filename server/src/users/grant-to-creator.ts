import type { Kysely } from 'kysely'
import { accessIn } from '../access/decisions/decisions.ts'
import { insertRelations } from '../access/relations/store.ts'
import { isAllowed } from '../access/require.ts'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'

/**
 * Users and groups belong to the tenant, but `user_management` in one organization is enough to create them
 * [docs/access#granting]. A creator who does not hold it in the tenant becomes the owner, to be able to manage the new
 * user or group.
 */
export async function grantToCreator(
  tx: Kysely<Tables>,
  caller: Caller,
  resource: { type: 'user' | 'group'; id: string },
): Promise<void> {
  if (await isAllowed(accessIn(tx), caller, 'manage', resource)) return
  await insertRelations(tx, caller.tenantId, [
    {
      subjectType: 'user',
      subjectId: caller.userId,
      resourceType: resource.type,
      resourceId: resource.id,
      relation: 'owner',
    },
  ])
}
