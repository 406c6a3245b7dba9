/** The one secret that a provider may come with. [docs/providers#iot-hub] */
import type { Context } from '../context.ts'
import { validationError } from '../http/errors.ts'
import { sealConnectionString } from './kinds/iothub/connection.ts'
import { parseConnectionString } from './kinds/iothub/connection-string.ts'
import type { ProviderType } from './provider-type.ts'

/** @throws validation_error when it cannot be used, or not by this type */
export function sealConnectionOf(
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

/** For the audit log, which says that it was set and never to what. */
export const secretSet = ({ connectionString }: { connectionString?: string }) =>
  connectionString === undefined ? {} : { connectionStringSet: true }
