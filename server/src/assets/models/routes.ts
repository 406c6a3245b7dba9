/** Models are DTDL interfaces that describe assets. [docs/models] */
import Type from 'typebox'
import { findCallerReach } from '../../access/require.ts'
import { visibleTo } from '../../access/decisions/visible-to.ts'
import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import { both, contains } from '../../database/search.ts'
import { permission, privilege, visible } from '../../http/access.ts'
import { isSuppliedId, pageRequest, platformPage, PlatformSearchQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { deleteGeneratedDescriptions } from '../bindings/descriptions/store.ts'
import { listModelContents } from './contents.ts'
import { createModel } from './create-model.ts'
import { putModel } from './put-model.ts'
import {
  AssetShapedRecord,
  assetShape,
  CreateModel,
  ModelPath,
  ModelRecord,
  modelShape,
  PutModel,
} from './schema.ts'
import { deleteModel, getModel, listModels, lockModels } from './store.ts'
import { requireUnused } from './uses.ts'

const modelId = (p: Record<string, string>) => p.modelId!
/** Room for a definition of 1 MiB and the other fields. */
const BODY_LIMIT = 1024 * 1024 + 16 * 1024

export const modelRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/models',
    summary: 'Create a model from a DTDL v2 or v3 interface',
    access: privilege('model_management'),
    body: CreateModel,
    bodyLimit: BODY_LIMIT,
    response: { 201: ModelRecord },
    handler: ({ body, caller }) => createModel(ctx, caller, body),
  }),
  route({
    method: 'GET',
    url: '/v1/models',
    summary: 'List models',
    access: visible('model'),
    query: PlatformSearchQuery,
    response: { 200: Type.Array(ModelRecord) },
    handler: async ({ caller, query, request }) => {
      const reach = await findCallerReach(ctx, caller, 'model')
      const visibility = visibleTo(reach, { id: 'models.id', organization: 'models.organization_id' })
      const found = both(visibility, contains(query.search, ['models.id', 'models.display_name']))
      const page = pageRequest(query, isSuppliedId)
      const { rows, limit } = await listModels(ctx.db, caller.tenantId, found, page)
      return platformPage({ rows, limit, shape: modelShape, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/models/{modelId}',
    summary: 'Get a model',
    access: permission('view', 'model', modelId),
    params: ModelPath,
    response: { 200: ModelRecord },
    handler: async ({ params, caller }) =>
      modelShape(await getModel(ctx.db, caller.tenantId, params.modelId)),
  }),
  route({
    method: 'GET',
    url: '/v1/models/{modelId}/asset',
    operationId: 'getModelAsset',
    summary: 'Get an asset-shaped record of a model, with all contents that an asset of it has',
    access: permission('view', 'model', modelId),
    params: ModelPath,
    response: { 200: AssetShapedRecord },
    handler: async ({ params, caller }) => {
      const row = await getModel(ctx.db, caller.tenantId, params.modelId)
      return assetShape(row, await listModelContents(ctx.db, row))
    },
  }),
  route({
    method: 'PUT',
    url: '/v1/models/{modelId}',
    summary: "Change a model's names, or its definition while nothing uses it",
    access: permission('manage', 'model', modelId),
    params: ModelPath,
    body: PutModel,
    bodyLimit: BODY_LIMIT,
    response: { 200: ModelRecord },
    handler: ({ params, body, caller }) => putModel(ctx, caller, params.modelId, body),
  }),
  route({
    method: 'DELETE',
    url: '/v1/models/{modelId}',
    summary: 'Delete a model that nothing uses',
    access: permission('delete', 'model', modelId),
    params: ModelPath,
    response: { 204: null },
    handler: ({ params, caller }) =>
      audited(ctx.db, { actor: caller, action: 'delete', resourceType: 'model' }, async (tx) => {
        const { tenantId } = caller
        await lockModels(tx, tenantId)
        const before = modelShape(await getModel(tx, tenantId, params.modelId))
        await deleteGeneratedDescriptions(tx, tenantId, before.id)
        await requireUnused(tx, caller, before.id, 'Delete that first.')
        await deleteModel(tx, tenantId, before.id)
        return { before }
      }),
  }),
]
