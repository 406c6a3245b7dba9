/** Routes that bind assets to their devices and to each other. [docs/assets#bind] */
import Type from 'typebox'
import type { Context } from '../../context.ts'
import { permission } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { bindAsset, getBindingSet } from './bind.ts'
import { bindingDescriptionRoutes } from './descriptions/routes.ts'
import { BindingSet, BindRequest } from './schema.ts'

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
  ...bindingDescriptionRoutes(ctx),
]
