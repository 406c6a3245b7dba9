/**
 * `/v1/privileges`: questions about privileges in an organization, or anywhere in the tenant. [docs/access#questions]
 */
import Type from 'typebox'
import type { Context } from '../../context.ts'
import { type Caller, user } from '../../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { checkPrivilege } from './check-privilege.ts'
import { listPrivileges, type PrivilegeTuple as Holding } from './list-privileges.ts'
import type { Subject } from './access-sql.ts'
import { PrivilegeCheck, PrivilegeTuple } from '../relations/shapes.ts'
import { requirePermission, requirePrivilegeWithinToken } from '../require.ts'

const readSubject = (body: Holding): Subject => ({ type: body.subjectType, id: body.subjectId })

export const privilegeRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/privileges/query',
    operationId: 'listPrivileges',
    summary: 'List the organizations in which a subject holds a privilege',
    access: user(),
    query: PlatformPageQuery,
    body: PrivilegeTuple,
    response: { 200: Type.Array(PrivilegeTuple) },
    handler: async ({ body, caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      await requireMayAsk(ctx, caller, body)
      const { privilege, organizationId } = body
      const tuples = await listPrivileges(ctx.pool, {
        tenantId: caller.tenantId,
        subject: readSubject(body),
        privilege,
        organizationId,
      })
      const remaining = tuples.filter((tuple) => !page.after || (tuple.organizationId ?? '') > page.after)
      return platformPage({
        rows: remaining,
        limit: page.limit,
        key: (tuple) => tuple.organizationId ?? '',
        shape: (tuple) => tuple,
        request,
      })
    },
  }),
  route({
    method: 'POST',
    url: '/v1/privileges/check',
    operationId: 'checkPrivilege',
    summary: 'Check a privilege in an organization, or in any of the tenant',
    access: user(),
    body: PrivilegeTuple,
    response: { 200: PrivilegeCheck },
    handler: async ({ body, caller }) => {
      await requireMayAsk(ctx, caller, body)
      const { privilege, organizationId } = body
      const result = await checkPrivilege(ctx.pool, {
        tenantId: caller.tenantId,
        subject: readSubject(body),
        privilege,
        organizationId,
      })
      return { ...body, result }
    },
  }),
]

/**
 * Everybody may ask about themselves; asking about others needs to view the organization or the subject. A limited token
 * may ask only about its own privileges.
 * @throws not_found, forbidden
 */
async function requireMayAsk(ctx: Context, caller: Caller, body: Holding): Promise<void> {
  requirePrivilegeWithinToken(caller, body.privilege)
  if (body.subjectType === 'user' && body.subjectId === caller.userId) return
  const about =
    body.organizationId === undefined
      ? readSubject(body)
      : ({ type: 'organization', id: body.organizationId } as const)
  await requirePermission(ctx, caller, 'view', about)
}
