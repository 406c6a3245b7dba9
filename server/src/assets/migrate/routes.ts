/** The route that moves assets to another model. [docs/assets#migration] */
import type { Context } from '../../context.ts'
import { user } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { migrateAssets } from './migrate-assets.ts'
import { MigrateAssets, Migration } from './schema.ts'

export const migrateRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/assets/migrate',
    operationId: 'migrateAssets',
    summary: 'Migrate assets to a model, all or none; needs `manage` on each and `view` on the model',
    // The body names the assets, so the permission on each of them is checked in the handler.
    access: user(),
    body: MigrateAssets,
    response: { 200: Migration },
    handler: ({ body, caller }) => migrateAssets(ctx, caller, body),
  }),
]
