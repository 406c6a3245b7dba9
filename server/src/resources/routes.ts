/** Routes for shared resources: files and JSON documents. [docs/files#resources] */
import Type from 'typebox'
import { findCallerReach } from '../access/require.ts'
import { visibleTo } from '../access/decisions/visible-to.ts'
import type { Context } from '../context.ts'
import { both, contains } from '../database/search.ts'
import { permission, privilege, visible } from '../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformSearchQuery } from '../http/page.ts'
import { answer, route, type Route } from '../http/route.ts'
import { Nullable, Uuid } from '../http/shapes.ts'
import { changeResource, createResource, removeResource } from './change-resource.ts'
import { contentOfDocument, requireDocument, requireUnchanged } from './content.ts'
import { downloadRoutes } from './downloads/routes.ts'
import { chooseOrganization } from './choose-organization.ts'
import { ChangeResource, CreateDocument, ResourceRecord, resourceShape, SetTags } from './schema.ts'
import { getResource, listResources, listTags } from './store.ts'
import {
  groupTags,
  makeTagKey,
  readTagFilters,
  readTagKey,
  requireStorableTags,
  TagPageQuery,
  type Tags,
} from './tags.ts'
import { themeRoutes } from './themes/routes.ts'
import { uploadRoutes } from './uploads/routes.ts'
import { listUses } from './uses.ts'

const ResourcePath = Type.Object({ resourceId: Uuid })
const resourceId = (p: Record<string, string>) => p.resourceId!

const ListQuery = Type.Object({
  ...PlatformSearchQuery.properties,
  resource_type: Type.Optional(Type.String()),
  tag: Type.Optional(
    Type.Array(Type.String({ maxLength: 8192 }), {
      description:
        'key:value. Several must all match; alternatives in one are joined by `|`. `\\` escapes `|`, `:` and `\\`',
    }),
  ),
})

const Use = Type.Object(
  {
    type: Type.String(),
    id: { ...Nullable(Uuid), description: 'Null for an object that the caller may not view' },
  },
  { title: 'ResourceUse' },
)

export const resourceRoutes = (ctx: Context): Route[] => [
  ...uploadRoutes(ctx),
  ...downloadRoutes(ctx),
  ...themeRoutes(ctx),
  ...listRoutes(ctx),
  ...recordRoutes(ctx),
]

/** SQL condition: the caller may view the resource. */
const visibilityFilter = async (ctx: Context, caller: Parameters<typeof findCallerReach>[1]) =>
  visibleTo(await findCallerReach(ctx, caller, 'resource_item'), {
    id: 'i.id',
    organization: 'i.organization_id',
  })

const listRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/resources',
    summary: 'List resources, by tags',
    access: visible('resource_item'),
    query: ListQuery,
    response: { 200: Type.Array(ResourceRecord) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const filters = readTagFilters(query.tag ?? [])
      // All resources have this type.
      if ((query.resource_type ?? 'user-resource') !== 'user-resource') return answer(200, [])
      const visibility = await visibilityFilter(ctx, caller)
      const { rows, fitting } = await listResources(ctx.db, caller.tenantId, {
        visible: both(visibility, contains(query.search, ['i.display_name'])),
        filters,
        page,
      })
      return platformPage({ rows, limit: fitting, shape: resourceShape(ctx), request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/resources/tags',
    operationId: 'listTags',
    summary: 'The tags in use, each key with its values',
    access: visible('resource_item'),
    query: TagPageQuery,
    response: { 200: Type.Record(Type.String(), Type.Array(Type.String())) },
    handler: async ({ caller, query, request }) => {
      const { limit, after } = pageRequest(query, (key) => readTagKey(key) !== undefined)
      const visibility = await visibilityFilter(ctx, caller)
      // Reads the tags of all resources.
      using queries = ctx.queries.open(caller.tenantId)
      const rows = await listTags(queries.db, caller.tenantId, {
        visible: visibility,
        limit,
        after: after === undefined ? undefined : readTagKey(after),
      })
      const page = platformPage({ rows, limit, shape: (tag) => tag, key: makeTagKey, request })
      return answer(200, groupTags(page.body as typeof rows), page.headers)
    },
  }),
]

const recordRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/resources',
    summary: 'Create a JSON document',
    access: privilege('resource_item_management'),
    body: CreateDocument,
    response: { 201: ResourceRecord },
    handler: async ({ body, caller }) => {
      const { displayName, description = null, tags = {}, document, authorizationContext } = body
      requireStorableTags(tags)
      const content = contentOfDocument(document)
      const organizationId = await chooseOrganization(
        ctx,
        caller,
        'resource_item_management',
        body.organizationId,
      )
      const described = { displayName, description, tags }
      const resource = { ...described, ...content, organizationId, authorizationContext }
      return resourceShape(ctx)(await createResource(ctx, caller, resource))
    },
  }),
  route({
    method: 'GET',
    url: '/v1/resources/{resourceId}',
    summary: 'Get a resource',
    access: permission('view', 'resource_item', resourceId),
    params: ResourcePath,
    response: { 200: ResourceRecord },
    handler: async ({ params, caller }) =>
      resourceShape(ctx)(await getResource(ctx.db, caller.tenantId, params.resourceId)),
  }),
  route({
    method: 'PATCH',
    url: '/v1/resources/{resourceId}',
    summary: "Change a resource's name, description, tags or document",
    access: permission('manage', 'resource_item', resourceId),
    params: ResourcePath,
    body: ChangeResource,
    response: { 200: ResourceRecord },
    handler: async ({ params, body: { document, ifSha256, ...described }, caller }) => {
      requireStorableTags(described.tags ?? {})
      const content = document && contentOfDocument(document)
      const { after } = await changeResource(ctx, caller, params.resourceId, (before) => {
        if (content) requireDocument(before)
        if (ifSha256 !== undefined) requireUnchanged(before, ifSha256)
        return { ...described, ...content }
      })
      return resourceShape(ctx)(after)
    },
  }),
  route({
    method: 'PUT',
    url: '/v1/resources/{resourceId}/tags',
    operationId: 'replaceTags',
    summary: "Replace a resource's tags",
    access: permission('manage', 'resource_item', resourceId),
    params: ResourcePath,
    body: SetTags,
    response: { 200: ResourceRecord },
    handler: async ({ params, body, caller }) => {
      const tags = (typeof body.tags === 'object' ? body.tags : body) as Tags
      requireStorableTags(tags)
      const { after } = await changeResource(ctx, caller, params.resourceId, () => ({ tags }))
      return resourceShape(ctx)(after)
    },
  }),
  route({
    method: 'DELETE',
    url: '/v1/resources/{resourceId}',
    summary: 'Delete a resource, even if it is in use; objects that use it may break',
    access: permission('delete', 'resource_item', resourceId),
    params: ResourcePath,
    query: Type.Object({
      ifUnused: Type.Boolean({
        default: false,
        description: 'Answers 409 with `details.usedBy` if something uses it',
      }),
    }),
    response: { 204: null },
    handler: ({ params, query, caller }) => removeResource(ctx, caller, params.resourceId, query.ifUnused),
  }),
  route({
    method: 'GET',
    url: '/v1/resources/{resourceId}/references',
    summary: 'List what uses a resource',
    access: permission('view', 'resource_item', resourceId),
    params: ResourcePath,
    response: { 200: Type.Array(Use) },
    handler: ({ params, caller }) => listUses(ctx.db, caller, params.resourceId),
  }),
]
