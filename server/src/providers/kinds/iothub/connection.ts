/** Seals and opens the stored connection string of a provider. */
import { ApiError } from '../../../http/errors.ts'
import { sealedPlace, type Sealer } from '../../../lib/seal.ts'
import type { ProviderRow } from '../../../database/tables/providers.ts'
import { type HubConnection, parseConnectionString } from './connection-string.ts'

const connectionPlace = (tenantId: string, providerId: string) =>
  sealedPlace('providers', 'connection_string_sealed', tenantId, providerId)

export const sealConnectionString = (
  sealer: Sealer,
  tenantId: string,
  providerId: string,
  connectionString: string,
): Buffer => sealer.seal(connectionString, connectionPlace(tenantId, providerId))

/** @throws conflict for a provider without a connection string */
export function openConnection(
  sealer: Sealer,
  { tenant_id, id, connection_string_sealed: sealed }: ProviderRow,
): HubConnection {
  if (sealed) return parseConnectionString(sealer.open(sealed, connectionPlace(tenant_id, id)))
  throw new ApiError(
    'conflict',
    `The provider ${id} has no connection string. PUT one to /v1/providers/${id} as connectionString.`,
  )
}
