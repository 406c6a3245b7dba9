/** Routes for assets as records. [docs/assets#records] */
import Type from 'typebox'
import { listVisible } from '../../access/list-visible.ts'
import type { Context } from '../../context.ts'
import { permission, privilege, visible } from '../../http/access.ts'
import { isSuppliedId, PlatformSearchQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { changeAsset } from './change-asset.ts'
import { createAsset } from './create-asset.ts'
import { removeAsset } from './remove-asset.ts'
import { AssetPath, AssetRecord, assetShape, ChangeAsset, CreateAsset } from './schema.ts'
import { getAssetRecord, listAssetRecords } from './store.ts'

const AssetsQuery = Type.Object({
  ...PlatformSearchQuery.properties,
  modelId: Type.Optional(Type.String({ maxLength: 128, description: 'Only assets of this model' })),
})

const assetId = (p: Record<string, string>) => p.assetId!

export const assetRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/assets',
    summary: 'Create an asset of a model',
    access: privilege('asset_management'),
    body: CreateAsset,
    response: { 201: AssetRecord },
    handler: ({ body, caller }) => createAsset(ctx, caller, body),
  }),
  route({
    method: 'GET',
    url: '/v1/assets',
    summary: 'List assets',
    access: visible('asset'),
    query: AssetsQuery,
    response: { 200: Type.Array(AssetRecord) },
    handler: (input) =>
      listVisible(ctx, input, {
        type: 'asset',
        columns: { id: 'a.id', organization: 'a.organization_id' },
        searched: ['a.id', 'a.display_name'],
        isId: isSuppliedId,
        list: (db, tenantId, seen, page) =>
          listAssetRecords(db, tenantId, { visible: seen, modelId: input.query.modelId, page }),
        shape: assetShape,
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/assets/{assetId}',
    summary: 'Get an asset',
    access: permission('view', 'asset', assetId),
    params: AssetPath,
    response: { 200: AssetRecord },
    handler: async ({ params, caller }) =>
      assetShape(await getAssetRecord(ctx.db, caller.tenantId, params.assetId)),
  }),
  route({
    method: 'PATCH',
    url: '/v1/assets/{assetId}',
    summary: "Change an asset's name, description or viewers; its model changes by migrating it",
    access: permission('manage', 'asset', assetId),
    params: AssetPath,
    body: ChangeAsset,
    response: { 200: AssetRecord },
    handler: ({ params, body, caller }) => changeAsset(ctx, caller, params.assetId, body),
  }),
  route({
    method: 'DELETE',
    url: '/v1/assets/{assetId}',
    summary:
      'Delete an asset with its bindings and its history; bindings of other assets no longer read from it',
    access: permission('delete', 'asset', assetId),
    params: AssetPath,
    response: { 204: null },
    handler: ({ params, caller }) => removeAsset(ctx, caller, params.assetId),
  }),
]
