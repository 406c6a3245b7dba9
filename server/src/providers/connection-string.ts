/** The connection string of a provider, its only secret. [docs/providers#iot-hub] */
import type { Context } from '../context.ts'
import { validationError } from '../http/errors.ts'
import { sealConnectionString } from './kinds/iothub/connection.ts'
import { parseConnectionString } from './kinds/iothub/connection-string.ts'
import type { ProviderType } from './provider-type.ts'

/** @throws validation_error when the connection string is invalid, or the type has none */
export function sealNewConnection(
  { sealer }: Context,
  { tenantId, id, type }: { tenantId: string; id: string; type: ProviderType },
  connectionString: string | undefined,
): Buffer | undefined {
  if (connectionString === undefined) return undefined
  if (type !== 'iothub')
    throw validationError({ path: 'connectionString', message: 'is for providers of type iothub' })
  parseConnectionString(connectionString)
  return sealConnectionString(sealer, tenantId, id, connectionString)
}

/** The audit log records that the connection string was set, but not its value. */
export const auditConnectionString = ({ connectionString }: { connectionString?: string }) =>
  connectionString === undefined ? {} : { connectionStringSet: true }
