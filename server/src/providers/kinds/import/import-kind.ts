/** Clients whose data is imported over HTTP (`ingest/import-routes.ts`). They have no connection and receive nothing. */
import { ApiError } from '../../../http/errors.ts'
import type { ProviderKind } from '../provider-kind.ts'

export const importKind: ProviderKind = {
  onBroker: false,
  createClient: async () => ({}),
  invokeMethod: async (_ctx, { clientId }) => {
    throw new ApiError(
      'conflict',
      `${clientId} is a client of type import, which has no device on which a method could be invoked.`,
      { clientId },
    )
  },
}
