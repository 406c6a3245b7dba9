/** Routes of edges: each edge places an object in another one. [docs/organizations#tree] */
import Type from 'typebox'
import { requirePermission, findCallerReach } from '../../access/require.ts'
import { type AuditEntry, recordAudits } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { EdgeRow } from '../../database/tables/tree.ts'
import { user, visible } from '../../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { createEdge } from './create-edge.ts'
import { CreateEdge, DeleteEdges, EdgeRecord, edgeShape } from './schema.ts'
import { deleteEdgesFrom, listEdges, lockTree } from './store.ts'

export const edgeRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/tree/edges',
    operationId: 'createTreeEdge',
    summary: 'Contain a node, asset or dashboard in a node or an asset; needs `manage` there',
    access: user(),
    body: CreateEdge,
    response: { 201: EdgeRecord },
    handler: ({ body, caller }) => createEdge(ctx.db, caller, body),
  }),
  route({
    method: 'GET',
    url: '/v1/tree/edges',
    operationId: 'listTreeEdges',
    summary: 'List edges between objects that the caller may view',
    access: visible('node'),
    query: PlatformPageQuery,
    response: { 200: Type.Array(EdgeRecord) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const types = ['node', 'asset', 'dashboard'] as const
      const reaches = await Promise.all(types.map((type) => findCallerReach(ctx, caller, type)))
      const rows = await listEdges(ctx.db, caller.tenantId, reaches, page)
      return platformPage({ rows, limit: page.limit, shape: edgeShape, request })
    },
  }),
  route({
    method: 'POST',
    url: '/v1/tree/edges/delete',
    operationId: 'deleteTreeEdges',
    summary: 'Delete the edges of a source; needs `manage` on it',
    access: user(),
    body: DeleteEdges,
    response: { 204: null },
    handler: async ({ body, caller }) => {
      const { tenantId } = caller
      const from = { type: body.fromType, id: body.fromId }
      await requirePermission(ctx, caller, 'manage', from)
      await ctx.db.transaction().execute(async (tx) => {
        await lockTree(tx, tenantId)
        const onDeleted = (edges: EdgeRow[]) => recordAudits(tx, caller, edges.map(describeDeletion))
        await deleteEdgesFrom(tx, tenantId, { from, onDeleted })
      })
    },
  }),
]

const describeDeletion = (edge: EdgeRow): AuditEntry => ({
  action: 'delete',
  resourceType: 'tree_edge',
  resourceId: edge.id,
  before: edgeShape(edge),
})
