/** The client for which data is imported. */
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { ApiError, orNotFound } from '../../../http/errors.ts'
import type { ClientRef } from '../../clients/store.ts'

export interface ImportSource {
  /** `provider_clients.number` */
  number: number
  id: string
  tenantId: string
  /** `tenants.number` */
  tenantNumber: number
  providerId: string
  /** The stored parser of the client, else of its provider; null if neither has one. */
  parser: unknown
}

/** @throws not_found; conflict for a client that is disabled or of another type */
export async function getImportSource(db: Kysely<Tables>, ref: ClientRef): Promise<ImportSource> {
  const { tenantId, providerId, clientId } = ref
  const row = await db
    .selectFrom('provider_clients as client')
    .innerJoin('tenants as tenant', 'tenant.id', 'client.tenant_id')
    .innerJoin('providers as provider', (join) =>
      join
        .onRef('provider.tenant_id', '=', 'client.tenant_id')
        .onRef('provider.id', '=', 'client.provider_id'),
    )
    .select(['client.number', 'client.enabled', 'provider.type', 'tenant.number as tenantNumber'])
    .select(sql`coalesce(client.provider_data -> 'parser', provider.provider_data -> 'parser')`.as('parser'))
    .where('client.tenant_id', '=', tenantId)
    .where('client.provider_id', '=', providerId)
    .where('client.id', '=', clientId)
    .executeTakeFirst()
  const { enabled, type, ...source } = orNotFound(row, 'provider client', clientId)
  if (type !== 'import')
    throw new ApiError(
      'conflict',
      `${clientId} is a client of type ${type}, which sends its data itself. Import to a client of type import.`,
      { type },
    )
  if (!enabled)
    throw new ApiError('conflict', `The provider client ${clientId} is disabled. Enable it first.`, {
      enabled,
    })
  return { ...source, id: clientId, tenantId, providerId }
}
