/** `/v1/permissions`: questions about the permissions that relations give. [docs/access#questions] */
import Type from 'typebox'
import type { Context } from '../../context.ts'
import { type Caller, user } from '../../http/access.ts'
import { pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { check, permissionQuestion } from './check.ts'
import { explain } from './explain.ts'
import { listResources } from './list-resources.ts'
import { listSubjects } from './list-subjects.ts'
import type { Question, Resource, Subject } from './access-sql.ts'
import { type Queries, queriesIn } from './queries.ts'
import { findReach } from './reach.ts'
import {
  Id,
  ObjectTypeName,
  PermissionCheck,
  PermissionName,
  PermissionTuple,
  permissionTuple,
  PrivilegeName,
  SubjectTypeName,
  Tuple,
} from '../relations/shapes.ts'
import { findCallerReach, requirePermission, requireWithinToken } from '../require.ts'

const Explanation = Type.Object(
  {
    ...permissionTuple,
    result: Type.Boolean(),
    chain: Type.Array(Tuple, {
      description: 'The relations that grant the permission, from the subject to the resource',
    }),
    missing: Type.Array(Tuple, {
      description: 'Each of these relations would grant the permission; the nearest come first',
    }),
    withoutPrivilege: Type.Array(
      Type.Object({ type: Type.Enum(['organization', 'tenant']), id: Id, privilege: PrivilegeName }),
      { description: 'The place at which the privilege is not effective' },
    ),
  },
  { title: 'Explanation' },
)

const readSubject = (body: { subjectType: Subject['type']; subjectId: string }): Subject => ({
  type: body.subjectType,
  id: body.subjectId,
})
const readResource = (body: { resourceType: Resource['type']; resourceId: string }): Resource => ({
  type: body.resourceType,
  id: body.resourceId,
})
const isKey = (key: string) => key.length <= 128

export const permissionRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/permissions/query',
    operationId: 'listPermissions',
    summary: 'List permissions on an object, of one subject or of all of a type',
    access: user(),
    query: PlatformPageQuery,
    body: Type.Object({ ...permissionTuple, subjectId: Type.Optional(Id) }),
    response: { 200: Type.Array(PermissionTuple) },
    handler: async ({ body, caller, query, request }) => {
      const { tenantId } = caller
      const resource = readResource(body)
      const page = pageRequest(query, isKey)
      const { subjectType, subjectId, permission } = body
      await requireMayAsk(
        ctx,
        caller,
        resource,
        subjectId === undefined ? undefined : { type: subjectType, id: subjectId },
      )
      using open = ctx.queries.open(tenantId)
      const queries = queriesIn(open.db)
      const ids =
        subjectId === undefined
          ? await listSubjects(queries, { tenantId, resource, permission, subjectType, page })
          : await listOne(
              queries,
              permissionQuestion(tenantId, { type: subjectType, id: subjectId }, permission, resource),
              subjectId,
            )
      const shape = (id: string) => ({ ...body, subjectId: id })
      return platformPage({ rows: ids, limit: page.limit, key: (id) => id, shape, request })
    },
  }),
  route({
    method: 'POST',
    url: '/v1/permissions/check',
    operationId: 'checkPermission',
    summary: 'Check a permission',
    access: user(),
    body: PermissionTuple,
    response: { 200: PermissionCheck },
    handler: async ({ body, caller }) => {
      await requireMayAsk(ctx, caller, readResource(body), readSubject(body))
      const question = permissionQuestion(
        caller.tenantId,
        readSubject(body),
        body.permission,
        readResource(body),
      )
      return { ...body, result: await ctx.decisions.check(question) }
    },
  }),
  route({
    method: 'POST',
    url: '/v1/permissions/resources',
    operationId: 'listPermittedResources',
    summary:
      'List the resources that a subject may access; for another subject, only those that the caller may view',
    access: user(),
    query: PlatformPageQuery,
    body: Type.Object({
      subjectType: SubjectTypeName,
      subjectId: Id,
      resourceType: ObjectTypeName,
      permission: PermissionName,
    }),
    response: { 200: Type.Array(Id) },
    handler: async ({ body, caller, query, request }) => {
      const page = pageRequest(query, isKey)
      const { resourceType: type, permission } = body
      await requireWithinToken(caller, type)
      const reaches = isSelf(caller, readSubject(body)) ? [] : [await findCallerReach(ctx, caller, type)]
      using open = ctx.queries.open(caller.tenantId)
      const theirs = await findReach(queriesIn(open.db), {
        tenantId: caller.tenantId,
        subject: readSubject(body),
        type,
        permission,
      })
      const ids = await listResources(open.db, [theirs, ...reaches], page)
      return platformPage({ rows: ids, limit: page.limit, key: (id) => id, shape: (id) => id, request })
    },
  }),
  route({
    method: 'POST',
    url: '/v1/permissions/subjects',
    operationId: 'listPermittedSubjects',
    summary: 'List the subjects with access to a resource',
    access: user(),
    query: PlatformPageQuery,
    body: Type.Object({
      resourceType: ObjectTypeName,
      resourceId: Id,
      subjectType: SubjectTypeName,
      permission: PermissionName,
    }),
    response: { 200: Type.Array(Id) },
    handler: async ({ body, caller, query, request }) => {
      const page = pageRequest(query, isKey)
      await requireMayAsk(ctx, caller, readResource(body))
      const { permission, subjectType } = body
      using open = ctx.queries.open(caller.tenantId)
      const ids = await listSubjects(queriesIn(open.db), {
        tenantId: caller.tenantId,
        resource: readResource(body),
        permission,
        subjectType,
        page,
      })
      return platformPage({ rows: ids, limit: page.limit, key: (id) => id, shape: (id) => id, request })
    },
  }),
  route({
    method: 'POST',
    url: '/v1/permissions/explain',
    operationId: 'explainPermission',
    summary:
      'The chain of relations that grants the permission, or the nearest relations that would grant it',
    access: user(),
    body: PermissionTuple,
    response: { 200: Explanation },
    handler: async ({ body, caller }) => {
      await requireMayAsk(ctx, caller, readResource(body), readSubject(body))
      const { tenantId } = caller
      using open = ctx.queries.open(tenantId)
      return {
        ...body,
        ...(await explain(queriesIn(open.db), {
          tenantId,
          subject: readSubject(body),
          permission: body.permission,
          resource: readResource(body),
        })),
      }
    },
  }),
]

const listOne = async (queries: Queries, question: Question, id: string): Promise<string[]> =>
  (await check(queries, question)) ? [id] : []

const isSelf = (caller: Caller, subject: Subject) => subject.type === 'user' && subject.id === caller.userId

/**
 * Everybody may ask about themselves; asking about others needs to view the object. A limited token may ask only about
 * types that its privileges cover.
 * @throws not_found, forbidden
 */
async function requireMayAsk(
  ctx: Context,
  caller: Caller,
  resource: Resource,
  subject?: Subject,
): Promise<void> {
  await requireWithinToken(caller, resource.type)
  if (!subject || !isSelf(caller, subject)) await requirePermission(ctx, caller, 'view', resource)
}
