/** `/v1/relations`: relations between subjects and objects. [docs/access#relations] */
import Type from 'typebox'
import type { Context } from '../../context.ts'
import { type Caller, user } from '../../http/access.ts'
import { pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { answer, route, type Route } from '../../http/route.ts'
import { type CountNotified, findImpact, listReachedUsers } from './impact.ts'
import { isTupleKey, tupleKey, listRelations, type RelationFilter } from './list-relations.ts'
import {
  Id,
  PermissionName,
  PrivilegeName,
  RelationName,
  ResourceTypeName,
  SubjectTypeName,
  Tuple,
} from './shapes.ts'
import { findCallerReach, requirePermission, requireUnlimited, requireWithinToken } from '../require.ts'
import { ENVIRONMENT_ID } from './store.ts'
import { removeRelation, requireKnown, writeRelations } from './write-relations.ts'

const Filter = Type.Object({
  resourceType: ResourceTypeName,
  optionalResourceId: Type.Optional(Id),
  optionalRelation: Type.Optional(RelationName),
  optionalSubjectFilter: Type.Optional(
    Type.Object({ subjectType: SubjectTypeName, optionalSubjectId: Type.Optional(Id) }),
  ),
})

const Impact = Type.Object(
  {
    permissions: Type.Array(
      Type.Object({
        userId: Id,
        permission: PermissionName,
        resourceType: ResourceTypeName,
        total: Type.Integer(),
        resourceIds: Type.Array(Id, { description: 'The first 100 of them' }),
      }),
    ),
    privileges: Type.Array(
      Type.Object({ userId: Id, privilege: PrivilegeName, organizationIds: Type.Array(Id) }),
    ),
    notifications: Type.Array(Type.Object({ userId: Id, notificationIds: Type.Array(Id) }), {
      description: 'Notifications that would inform the user of fewer alarms than now',
    }),
  },
  { title: 'Impact' },
)

/** Pages are small, since each user is evaluated for every type of object. */
const ImpactQuery = Type.Object({
  ...PlatformPageQuery.properties,
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Users' }),
})

export const relationRoutes = (ctx: Context, countNotified: CountNotified): Route[] => [
  route({
    method: 'POST',
    url: '/v1/relations',
    summary: 'Write a relation; answers 200 if it existed already',
    access: user(),
    body: Tuple,
    response: { 201: Tuple, 200: Tuple },
    handler: ({ body, caller }) =>
      ctx.db.transaction().execute(async (tx) => {
        const written = await writeRelations(tx, caller, [body])
        return answer(written > 0 ? 201 : 200, body)
      }),
  }),
  route({
    method: 'POST',
    url: '/v1/relations/query',
    operationId: 'listRelations',
    summary: "List relations on objects that the caller may view, and the caller's own",
    access: user(),
    query: PlatformPageQuery,
    body: Filter,
    response: { 200: Type.Array(Tuple) },
    handler: async ({ body, caller, query, request }) => {
      const page = pageRequest(query, isTupleKey)
      const reach = await reachOfQuery(ctx, caller, body)
      const tuples = await listRelations(ctx.db, {
        tenantId: caller.tenantId,
        filter: body,
        within: reach,
        page,
      })
      return platformPage({
        rows: tuples,
        limit: page.limit,
        key: tupleKey,
        shape: (tuple) => tuple,
        request,
      })
    },
  }),
  route({
    method: 'POST',
    url: '/v1/relations/delete',
    operationId: 'deleteRelation',
    summary: 'Delete a relation',
    access: user(),
    body: Tuple,
    response: { 204: null },
    handler: ({ body, caller }) => ctx.db.transaction().execute((tx) => removeRelation(tx, caller, body)),
  }),
  route({
    method: 'POST',
    url: '/v1/relations/impact',
    operationId: 'getRelationImpact',
    summary: 'List what users would lose if a relation were deleted, in pages of users',
    access: user(),
    query: ImpactQuery,
    body: Tuple,
    response: { 200: Impact },
    handler: async ({ body, caller, query, request }) => {
      requireKnown(body)
      requireUnlimited(caller)
      await requirePermission(ctx, caller, 'share', { type: body.resourceType, id: body.resourceId })
      const page = pageRequest(query, (key) => key.length <= 128)
      const users = await listReachedUsers(ctx.db, caller.tenantId, body, page)
      const shown = users.slice(0, page.limit)
      using queries = ctx.queries.open(caller.tenantId, 'database')
      const impact = await findImpact(queries.db, {
        tenantId: caller.tenantId,
        tuple: body,
        userIds: shown,
        countNotified,
      })
      const { headers } = platformPage({
        rows: users,
        limit: page.limit,
        key: (id) => id,
        shape: (id) => id,
        request,
      })
      return answer(200, impact, headers)
    },
  }),
]

/** @returns undefined if no limit is needed, because the caller asks for their own relations or may view the object */
async function reachOfQuery(ctx: Context, caller: Caller, filter: RelationFilter) {
  await requireWithinToken(caller, filter.resourceType)
  const subject = filter.optionalSubjectFilter
  if (subject?.subjectType === 'user' && subject.optionalSubjectId === caller.userId) return undefined
  const { resourceType: type, optionalResourceId: id } = filter
  if (id === undefined && type !== 'tenant' && type !== 'environment')
    return findCallerReach(ctx, caller, type)
  const only = type === 'environment' ? ENVIRONMENT_ID : caller.tenantId
  await requirePermission(ctx, caller, 'view', { type, id: id ?? only })
  return undefined
}
