/** Routes for the tree of nodes, assets and dashboards. [docs/organizations#tree] */
import Type from 'typebox'
import { findCallerReach, requirePermission } from '../access/require.ts'
import type { Context } from '../context.ts'
import { visible } from '../http/access.ts'
import { route, type Route } from '../http/route.ts'
import { Description, Nullable, Uuid } from '../http/shapes.ts'
import { edgeRoutes } from './edges/routes.ts'
import { EdgeRecord } from './edges/schema.ts'
import { moveRoutes } from './move/routes.ts'
import { nodeRoutes } from './nodes/routes.ts'
import { placeRoutes } from './places/routes.ts'
import { readTree } from './read-tree.ts'

const TreeQuery = Type.Object({
  startNodeId: Uuid,
  depth: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1000, description: 'Levels below the start; all if absent' }),
  ),
})

const Tree = Type.Object(
  {
    id: Type.String(),
    displayName: Type.String(),
    description: Description,
    type: Type.Enum(['NODE', 'ASSET']),
    edge: Nullable(EdgeRecord),
    children: Type.Array(Type.Unsafe({ $ref: '#' })),
    details: Type.Object({ modelId: Nullable(Type.String()) }),
  },
  { title: 'Tree' },
)

export const treeRoutes = (ctx: Context): Route[] => [
  ...nodeRoutes(ctx),
  ...edgeRoutes(ctx),
  ...placeRoutes(ctx),
  ...moveRoutes(ctx),
  route({
    method: 'GET',
    url: '/v1/tree',
    operationId: 'getTree',
    summary: 'List what a node contains, level by level, as far as the caller may view it',
    access: visible('node'),
    forDashboards: true,
    query: TreeQuery,
    response: { 200: Tree },
    handler: async ({ caller, query: { startNodeId, depth } }) => {
      await requirePermission(ctx, caller, 'view', { type: 'node', id: startNodeId })
      const reaches = await Promise.all([
        findCallerReach(ctx, caller, 'node'),
        findCallerReach(ctx, caller, 'asset'),
      ])
      using queries = ctx.queries.open(caller.tenantId)
      return await readTree(queries.db, caller.tenantId, { reaches, start: startNodeId, depth })
    },
  }),
]
