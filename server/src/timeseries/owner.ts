/** Whom an `assetId` of a request names: so far, a provider client of the caller's tenant. */
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { notFound } from '../http/errors.ts'
import type { Owner } from './series.ts'

/** @throws not_found, also for one of another tenant */
export async function getOwner(db: Kysely<Tables>, tenantId: string, assetId: string): Promise<Owner> {
  const { tenantNumber } = await getOwners(db, tenantId, [assetId])
  return { tenantNumber, ownerType: 'client', ownerId: assetId }
}

/** @throws not_found for the first one that does not exist */
export async function getOwners(
  db: Kysely<Tables>,
  tenantId: string,
  assetIds: string[],
): Promise<{ tenantNumber: number }> {
  const { number } = await db
    .selectFrom('tenants')
    .select('number')
    .where('id', '=', tenantId)
    .executeTakeFirstOrThrow()
  const rows = await db
    .selectFrom('provider_clients')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...new Set(assetIds), ''])
    .execute()
  const found = new Set(rows.map(({ id }) => id))
  const unknown = assetIds.find((id) => !found.has(id))
  if (unknown !== undefined) throw notFound('asset', unknown)
  return { tenantNumber: number }
}
