/** The connection string at rest: sealed with its provider, opened to be used, and never shown. */
import { ApiError } from '../../../http/errors.ts'
import { sealedPlace, type Sealer } from '../../../lib/seal.ts'
import type { ProviderRow } from '../../../database/tables/providers.ts'
import { type HubConnection, parseConnectionString } from './connection-string.ts'

const placeOf = (tenantId: string, providerId: string) =>
  sealedPlace('providers', 'connection_string_sealed', tenantId, providerId)

export const sealConnectionString = (
  sealer: Sealer,
  tenantId: string,
  providerId: string,
  connectionString: string,
): Buffer => sealer.seal(connectionString, placeOf(tenantId, providerId))

/** @throws conflict for a provider that has none yet */
export function openConnection(
  sealer: Sealer,
  { tenant_id, id, connection_string_sealed: sealed }: ProviderRow,
): HubConnection {
  if (sealed) return parseConnectionString(sealer.open(sealed, placeOf(tenant_id, id)))
  throw new ApiError(
    'conflict',
    `The provider ${id} has no connection string. PUT one to /v1/providers/${id} as connectionString.`,
  )
}
