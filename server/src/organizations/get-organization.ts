import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { notFound } from '../http/errors.ts'

/**
 * @param organizationId a UUID
 * @throws not_found, also for an organization of another tenant
 */
export async function getOrganization(db: Kysely<Tables>, tenantId: string, organizationId: string) {
  const row = await db
    .selectFrom('organizations')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', organizationId)
    .executeTakeFirst()
  if (!row) throw notFound('organization', organizationId)
  return row
}
