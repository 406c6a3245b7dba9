import Type from 'typebox'
import type { Context } from '../../context.ts'
import { permission } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { ClientPath } from '../clients/schema.ts'
import { getClient } from '../clients/store.ts'
import { providerClientCredentials } from '../provider-api/functions.ts'
import { rotateKeys, withoutKeys } from './rotate-keys.ts'

const Credentials = Type.Object(
  { primaryKey: Type.String(), secondaryKey: Type.String() },
  { title: 'ProviderClientCredentials' },
)

// Who may see a client may not yet connect as it.
const access = permission('manage', 'provider_client', (p) => p.clientId!)

export const credentialRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/clients/{clientId}/credentials',
    operationId: 'getCredentials',
    summary: 'The keys of a provider client',
    access,
    secret: true,
    params: ClientPath,
    response: { 200: Credentials },
    refuses: [409],
    handler: async ({ params, caller }) => {
      const [keys] = await providerClientCredentials(ctx, caller, params.providerId, [params.clientId])
      if (keys) return keys
      await getClient(ctx.db, { ...params, tenantId: caller.tenantId })
      throw withoutKeys(params.clientId)
    },
  }),
  route({
    method: 'POST',
    url: '/v1/providers/{providerId}/clients/{clientId}/credentials/rotate',
    operationId: 'rotateCredentials',
    summary: 'Make the secondary key primary and a new secondary; sessions of the former primary end at once',
    access,
    secret: true,
    params: ClientPath,
    response: { 200: Credentials },
    handler: ({ params, caller }) => rotateKeys(ctx, caller, { ...params, tenantId: caller.tenantId }),
  }),
]
