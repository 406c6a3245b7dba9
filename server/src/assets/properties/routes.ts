/** Routes for the desired and the reported properties of an asset. [docs/assets#properties] */
import type { Static } from 'typebox'
import type { Context } from '../../context.ts'
import { type Caller, permission } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { FreeObject } from '../../http/shapes.ts'
import type { Properties } from '../../providers/twin/merge-patch.ts'
import { AssetPath } from '../commands/schema.ts'
import { getAsset } from '../records/store.ts'
import { AssetProperties } from './schema.ts'
import { setAssetDesired } from './set-desired.ts'
import { getAssetProperties } from './store.ts'

const assetId = (p: Record<string, string>) => p.assetId!

export const assetPropertyRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/assets/{assetId}/properties/reported',
    operationId: 'getAssetReportedProperties',
    summary: 'The reported properties of the asset, read by its bindings',
    access: permission('view', 'asset', assetId),
    params: AssetPath,
    response: { 200: AssetProperties },
    handler: ({ params, caller }) => getProperties(ctx, caller, params, 'reported'),
  }),
  route({
    method: 'GET',
    url: '/v1/assets/{assetId}/properties/desired',
    operationId: 'getAssetDesiredProperties',
    summary: 'The desired properties of the asset',
    access: permission('view', 'asset', assetId),
    params: AssetPath,
    response: { 200: AssetProperties },
    handler: ({ params, caller }) => getProperties(ctx, caller, params, 'desired'),
  }),
  route({
    method: 'PUT',
    url: '/v1/assets/{assetId}/properties/desired',
    operationId: 'updateAssetDesiredProperties',
    summary: 'Merge into the desired properties (null removes one); bound properties are sent to the devices',
    access: permission('manage', 'asset', assetId),
    params: AssetPath,
    body: FreeObject,
    response: { 200: AssetProperties },
    handler: ({ params, body, caller }) => setAssetDesired(ctx, caller, params.assetId, body),
  }),
]

async function getProperties(
  { db }: Context,
  { tenantId }: Caller,
  params: Static<typeof AssetPath>,
  side: 'desired' | 'reported',
): Promise<Properties> {
  return getAssetProperties(db, (await getAsset(db, tenantId, params.assetId)).number, side)
}
