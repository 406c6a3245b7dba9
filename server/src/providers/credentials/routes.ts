import Type from 'typebox'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { permission } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { ClientPath } from '../clients/schema.ts'
import { getClient } from '../clients/store.ts'
import { providerClientCredentials } from '../provider-api/functions.ts'
import { rotateKeys, noCredentials } from './rotate-keys.ts'

const Credentials = Type.Object(
  { primaryKey: Type.String(), secondaryKey: Type.String() },
  { title: 'ProviderClientCredentials' },
)

// Permission to view a client does not include permission to connect as the client.
const access = permission('manage', 'provider_client', (p) => p.clientId!)

export const credentialRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/clients/{clientId}/credentials',
    operationId: 'getCredentials',
    summary: 'Get the keys of a provider client; the audit log records it',
    access,
    secret: true,
    params: ClientPath,
    response: { 200: Credentials },
    refuses: [409],
    handler: async ({ params, caller }) => {
      const [keys] = await providerClientCredentials(ctx, caller, params.providerId, [params.clientId])
      if (!keys) {
        await getClient(ctx.db, { ...params, tenantId: caller.tenantId })
        throw noCredentials(params.clientId)
      }
      // Keys do not leave the server before the entry is stored.
      await recordAudit(ctx.db, caller, {
        action: 'read-keys',
        resourceType: 'provider_client',
        resourceId: params.clientId,
      })
      return keys
    },
  }),
  route({
    method: 'POST',
    url: '/v1/providers/{providerId}/clients/{clientId}/credentials/rotate',
    operationId: 'rotateCredentials',
    summary:
      'Make the secondary key primary and generate a new secondary key; sessions of the previous primary key end at once',
    access,
    secret: true,
    params: ClientPath,
    response: { 200: Credentials },
    handler: ({ params, caller }) => rotateKeys(ctx, caller, { ...params, tenantId: caller.tenantId }),
  }),
]
