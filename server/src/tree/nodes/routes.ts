import Type from 'typebox'
import { listVisible } from '../../access/list-visible.ts'
import { requirePrivilegeIn } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import { permission, privilege, visible } from '../../http/access.ts'
import { PlatformSearchQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { Uuid } from '../../http/shapes.ts'
import { changeNode, createNode, removeNode } from './change-node.ts'
import { ChangeNode, CreateNode, NodeRecord, nodeShape } from './schema.ts'
import { getNode, listNodes } from './store.ts'

const NodePath = Type.Object({ nodeId: Uuid })
const nodeId = (p: Record<string, string>) => p.nodeId!

export const nodeRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/tree/nodes',
    operationId: 'createTreeNode',
    summary: 'Create a tree node, at the top or in another node',
    access: privilege('tree_management'),
    body: CreateNode,
    response: { 201: NodeRecord },
    handler: async ({ body, caller }) => {
      await requirePrivilegeIn(ctx, caller, 'tree_management', body.organizationId)
      return createNode(ctx.db, caller, body)
    },
  }),
  route({
    method: 'GET',
    url: '/v1/tree/nodes',
    operationId: 'listTreeNodes',
    summary: 'List tree nodes',
    access: visible('node'),
    query: PlatformSearchQuery,
    response: { 200: Type.Array(NodeRecord) },
    handler: (input) =>
      listVisible(ctx, input, {
        type: 'node',
        columns: { id: 'n.id', organization: 'n.organization_id' },
        searched: ['n.display_name'],
        list: listNodes,
        shape: nodeShape,
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/tree/nodes/{nodeId}',
    operationId: 'getTreeNode',
    summary: 'Get a tree node',
    access: permission('view', 'node', nodeId),
    params: NodePath,
    response: { 200: NodeRecord },
    handler: async ({ params, caller }) => nodeShape(await getNode(ctx.db, caller.tenantId, params.nodeId)),
  }),
  route({
    method: 'PATCH',
    url: '/v1/tree/nodes/{nodeId}',
    operationId: 'patchTreeNode',
    summary: 'Change a tree node, or move it with all that it contains',
    access: permission('manage', 'node', nodeId),
    params: NodePath,
    body: ChangeNode,
    response: { 200: NodeRecord },
    handler: ({ params, body, caller }) => changeNode(ctx.db, caller, params.nodeId, body),
  }),
  route({
    method: 'DELETE',
    url: '/v1/tree/nodes/{nodeId}',
    operationId: 'deleteTreeNode',
    summary: 'Delete a tree node that contains nothing',
    access: permission('delete', 'node', nodeId),
    params: NodePath,
    response: { 204: null },
    handler: ({ params, caller }) => removeNode(ctx.db, caller, params.nodeId),
  }),
]
