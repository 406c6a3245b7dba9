import Type from 'typebox'
import type { Context } from '../../context.ts'
import { permission } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { previewBinding } from './preview-binding.ts'
import { BindingPreview, PreviewBinding } from './schema.ts'

export const previewBindingRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/assets/{assetId}/bindings/preview',
    operationId: 'previewBinding',
    summary: 'Show what a binding would make of the last values, or of given ones, without storing anything',
    access: permission('manage', 'asset', (p) => p.assetId!),
    params: Type.Object({ assetId: Type.String({ maxLength: 128 }) }),
    body: PreviewBinding,
    response: { 200: BindingPreview },
    handler: ({ params, body, caller }) => previewBinding(ctx, caller, params.assetId, body),
  }),
]
