/** The remaining route of the Provider API; the routes that create clients and read credentials belong to it too. [docs/providers#provider-api] */
import Type from 'typebox'
import type { Context } from '../../context.ts'
import { privilege } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { ProviderPath } from '../schema.ts'
import { validateProviderClient } from './functions.ts'

const ValidateClient = Type.Object({ id: Type.String({ maxLength: 1024 }) })

const Validation = Type.Object(
  { valid: Type.Boolean(), error: Type.Optional(Type.String()), message: Type.Optional(Type.String()) },
  { title: 'ProviderClientValidation' },
)

export const providerApiRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/providers/{providerId}/clients/validate',
    operationId: 'validateClient',
    summary: 'Check whether an id is available for a provider, or is its client already',
    access: privilege('provider_client_management'),
    params: ProviderPath,
    body: ValidateClient,
    response: { 200: Validation },
    handler: async ({ params, body, caller }) => {
      const [validation] = await validateProviderClient(ctx, caller, params.providerId, [body.id])
      return validation
    },
  }),
]
