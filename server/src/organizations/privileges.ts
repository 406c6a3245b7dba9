/**
 * "Privileges of a sub-organization are a subset of its parent's; of a root organization, a subset of the tenant's."
 * [docs/organizations#organizations] All changes of privileges hold one lock of the tenant, which serializes them.
 */
import type { Kysely } from 'kysely'
import Type from 'typebox'
import { privileges } from '../access/privileges.ts'
import type { Tables } from '../database/tables.ts'
import { ApiError, orNotFound, validationError } from '../http/errors.ts'

export const Privileges = Type.Array(Type.Enum([...privileges]), { uniqueItems: true })

/** Locks the tenant's privileges until the transaction ends. */
export const lockTenant = (tx: Kysely<Tables>, tenantId: string) =>
  tx.selectFrom('tenants').selectAll().where('id', '=', tenantId).forNoKeyUpdate().executeTakeFirstOrThrow()

/**
 * Returns the greatest set of privileges of an organization under a parent or at the root. @throws not_found for the
 * parent
 */
export async function getPrivilegesAbove(
  tx: Kysely<Tables>,
  tenantId: string,
  parentOrganizationId: string | null,
): Promise<string[]> {
  const tenant = await lockTenant(tx, tenantId)
  if (parentOrganizationId === null) return tenant.privileges
  const parent = orNotFound(
    await tx
      .selectFrom('organizations')
      .select('privileges')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', parentOrganizationId)
      .forKeyShare()
      .executeTakeFirst(),
    'organization',
    parentOrganizationId,
  )
  return parent.privileges
}

/** @throws validation_error that names the privileges which are not above */
export function requireSubset(wanted: readonly string[], above: readonly string[]): void {
  const beyond = wanted.filter((privilege) => !above.includes(privilege))
  if (beyond.length > 0)
    throw validationError({ path: 'privileges', message: `goes beyond what is above: ${beyond.join(', ')}` })
}

/**
 * Requires that organizations below have no privileges beyond the allowed ones.
 * @param parentOrganizationId null for the tenant, whose root organizations are below it
 * @throws conflict with `details.organizations`
 */
export async function requireSubsetBelow(
  tx: Kysely<Tables>,
  tenantId: string,
  parentOrganizationId: string | null,
  allowed: readonly string[],
): Promise<void> {
  const rows = await tx
    .selectFrom('organizations')
    .select(['id', 'display_name', 'privileges'])
    .where('tenant_id', '=', tenantId)
    .where('parent_organization_id', parentOrganizationId === null ? 'is' : '=', parentOrganizationId)
    .orderBy('id')
    .execute()
  const organizations = rows
    .map((row) => ({
      id: row.id,
      displayName: row.display_name,
      privileges: row.privileges.filter((privilege) => !allowed.includes(privilege)),
    }))
    .filter(({ privileges: beyond }) => beyond.length > 0)
  if (organizations.length > 0)
    throw new ApiError(
      'conflict',
      'Organizations below have privileges that would be taken away. Take them away there first.',
      { organizations },
    )
}
