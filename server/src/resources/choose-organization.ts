/** Chooses the organization of a new object whose body may omit it. [docs/files#resources] */
import { sql } from 'kysely'
import { listPrivileges } from '../access/decisions/list-privileges.ts'
import type { Privilege } from '../access/privileges.ts'
import { requirePrivilegeIn, callerSubject } from '../access/require.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../http/access.ts'

/**
 * Returns the named organization, or else the uppermost in which the caller holds the privilege, the oldest of several.
 * @throws forbidden, not_found
 */
export async function chooseOrganization(
  ctx: Context,
  caller: Caller,
  privilege: Privilege,
  organizationId?: string,
): Promise<string> {
  const home = organizationId ?? (await findUppermost(ctx, caller, privilege))
  await requirePrivilegeIn(ctx, caller, privilege, home)
  return home
}

async function findUppermost({ db, pool }: Context, caller: Caller, privilege: Privilege): Promise<string> {
  const held = await listPrivileges(pool, {
    tenantId: caller.tenantId,
    subject: callerSubject(caller),
    privilege,
  })
  const ids = held.map(({ organizationId }) => organizationId)
  const { rows } = await sql<{ id: string }>`
    select id from organizations
    where tenant_id = ${caller.tenantId} and id = any(${ids}::uuid[])
      and (parent_organization_id is null or parent_organization_id <> all(${ids}::uuid[]))
    order by id limit 1`.execute(db)
  // A caller who has lost the privilege since the guard checked it is refused there.
  return rows[0]?.id ?? caller.tenantId
}
