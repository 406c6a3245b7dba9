/** Routes of the tree by level, and of the places of an object. [docs/organizations#tree] */
import Type from 'typebox'
import { findCallerReach, requirePermission, requireWithinToken } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import { type Caller, visible } from '../../http/access.ts'
import { validationError } from '../../http/errors.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery, PlatformSearchQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { Description, Nullable, SuppliedId, Uuid } from '../../http/shapes.ts'
import { childKey, type ChildRow, type Container, isChildKey, listChildren } from './list-children.ts'
import { listPlaces } from './list-places.ts'

const TypeName = Type.Enum(['node', 'asset'])
const ShownType = Type.Enum(['NODE', 'ASSET'])

const ChildrenQuery = Type.Object({
  ...PlatformSearchQuery.properties,
  parentType: Type.Optional({ ...TypeName, description: 'The kind of the place; with `parentId`' }),
  parentId: Type.Optional({ ...SuppliedId, description: 'The place; the top of the tree if absent' }),
})

const Child = Type.Object(
  {
    id: Type.String(),
    type: ShownType,
    displayName: Type.String(),
    description: Description,
    modelId: { ...Nullable(Type.String()), description: 'The model of an asset; null for a node' },
    edgeId: { ...Nullable(Uuid), description: 'The edge by which it stands there; null at the top' },
    hasChildren: Type.Boolean({
      description: 'Whether it contains nodes or assets that the caller may view',
    }),
  },
  { title: 'TreeChild' },
)

const FoundPlace = Type.Object(
  {
    edgeId: { ...Uuid, description: 'The edge by which it stands there' },
    path: Type.Array(Type.Object({ type: ShownType, id: Type.String(), displayName: Type.String() }), {
      description: 'From the top down to what contains it directly, as far as the caller may view it',
    }),
  },
  { title: 'TreePlace' },
)

const childShape = (row: ChildRow) => ({
  id: row.id,
  type: row.type === 'node' ? ('NODE' as const) : ('ASSET' as const),
  displayName: row.display_name,
  description: row.description,
  modelId: row.model_id,
  edgeId: row.edge_id,
  hasChildren: row.has_children,
})

export const placeRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/tree/children',
    operationId: 'listTreeChildren',
    summary:
      'List what a place contains directly, nodes first, by name; without a place, the top of the tree',
    access: visible('node'),
    query: ChildrenQuery,
    response: { 200: Type.Array(Child) },
    handler: async ({ caller, query, request }) => {
      await requireWithinToken(caller, 'asset')
      const page = pageRequest(query, isChildKey)
      const parent = readParent(query)
      if (parent !== undefined) await requirePermission(ctx, caller, 'view', parent)
      using queries = ctx.queries.open(caller.tenantId)
      const rows = await listChildren(queries.db, caller.tenantId, {
        reaches: await findReaches(ctx, caller),
        parent,
        search: query.search,
        page,
      })
      return platformPage({ rows, limit: page.limit, key: childKey, shape: childShape, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/tree/places',
    operationId: 'listTreePlaces',
    summary: 'List the places where a node or asset stands, with the way down to each',
    access: visible('node'),
    query: Type.Object({
      ...PlatformPageQuery.properties,
      type: TypeName,
      id: { ...SuppliedId, description: 'The node or asset' },
    }),
    response: { 200: Type.Array(FoundPlace) },
    handler: async ({ caller, query, request }) => {
      await requireWithinToken(caller, 'asset')
      const thing = { type: query.type, id: query.id }
      const page = pageRequest(query, isUuid)
      await requirePermission(ctx, caller, 'view', thing)
      using queries = ctx.queries.open(caller.tenantId)
      const rows = await listPlaces(queries.db, caller.tenantId, {
        reaches: await findReaches(ctx, caller),
        thing,
        page,
      })
      return platformPage({
        rows,
        limit: page.limit,
        key: ({ edgeId }) => edgeId,
        shape: (place) => place,
        request,
      })
    },
  }),
]

async function findReaches(ctx: Context, caller: Caller) {
  const [node, asset] = await Promise.all([
    findCallerReach(ctx, caller, 'node'),
    findCallerReach(ctx, caller, 'asset'),
  ])
  return { node, asset }
}

/** @throws validation_error if only one of type and id is given */
function readParent({
  parentType: type,
  parentId: id,
}: {
  parentType?: Container['type']
  parentId?: string
}): Container | undefined {
  if (type === undefined && id === undefined) return undefined
  if (type !== undefined && id !== undefined) return { type, id }
  throw validationError({
    path: id === undefined ? 'parentId' : 'parentType',
    message: 'is needed with the other half of the place',
  })
}
