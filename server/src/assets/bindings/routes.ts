/** Routes that bind assets to their devices and to each other. [docs/assets#bind] */
import Type from 'typebox'
import type { Context } from '../../context.ts'
import { permission } from '../../http/access.ts'
import { PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { bindAsset, getBindingSet } from './bind.ts'
import { listClientBindings } from './client-bindings.ts'
import { bindingDescriptionRoutes } from './descriptions/routes.ts'
import { ClientPath } from '../../providers/clients/schema.ts'
import { BindingSet, BindRequest, ClientBinding } from './schema.ts'

const AssetPath = Type.Object({ assetId: Type.String({ maxLength: 128 }) })
const assetId = (p: Record<string, string>) => p.assetId!

export const bindingRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/assets/{assetId}/bind',
    operationId: 'bindAsset',
    summary: 'Bind an asset to provider clients and to other assets',
    access: permission('manage', 'asset', assetId),
    params: AssetPath,
    body: BindRequest,
    // A bind request replaces the bindings that it names, so a client may send back what it has read.
    unknownFields: 'ignore',
    response: { 200: BindingSet },
    handler: ({ params, body, caller }) => bindAsset(ctx, caller, params.assetId, body),
  }),
  route({
    method: 'GET',
    url: '/v1/assets/{assetId}/bindings',
    operationId: 'getBindings',
    summary: 'Get the bindings of an asset, and its unbound endpoints',
    access: permission('view', 'asset', assetId),
    params: AssetPath,
    response: { 200: BindingSet },
    handler: ({ params, caller }) => getBindingSet(ctx, caller.tenantId, params.assetId),
  }),
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/clients/{clientId}/bindings',
    operationId: 'listClientBindings',
    summary: 'List the bindings that read a client or send to it, of assets that the caller may view',
    access: permission('view', 'provider_client', (p) => p.clientId!),
    params: ClientPath,
    query: PlatformPageQuery,
    response: { 200: Type.Array(ClientBinding) },
    handler: (input) => listClientBindings(ctx, input),
  }),
  ...bindingDescriptionRoutes(ctx),
]
