/** Clients whose data is brought by HTTP (`ingest/import-routes.ts`). They have no connection, so nothing reaches them. */
import { ApiError } from '../../../http/errors.ts'
import type { ProviderKind } from '../provider-kind.ts'

export const importKind: ProviderKind = {
  onBroker: false,
  createClient: async () => ({}),
  invokeMethod: async (_ctx, { clientId }) => {
    throw new ApiError(
      'conflict',
      `${clientId} is a client of type import, which only brings data: there is nobody to invoke a method on.`,
      { clientId },
    )
  },
}
