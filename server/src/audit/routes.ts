import Type from 'typebox'
import type { Context } from '../context.ts'
import { pageAfter } from '../database/page.ts'
import { privilegeInRoot } from '../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../http/page.ts'
import { route, type Route } from '../http/route.ts'
import { FreeObject, Nullable, Timestamp, formatTimestamp, Uuid } from '../http/shapes.ts'

const AuditRecord = Type.Object(
  {
    id: Uuid,
    at: Timestamp,
    actorType: Type.String(),
    actorId: Nullable(Type.String()),
    action: Type.String(),
    resourceType: Type.String(),
    resourceId: Type.String(),
    before: Nullable(FreeObject),
    after: Nullable(FreeObject),
    requestId: Nullable(Type.String()),
  },
  { title: 'AuditRecord' },
)

const AuditQuery = Type.Object({
  ...PlatformPageQuery.properties,
  resourceType: Type.Optional(Type.String()),
  resourceId: Type.Optional(Type.String()),
})

export const auditRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/audit-log',
    operationId: 'listAuditRecords',
    summary: 'List all changes with their users, newest first',
    access: privilegeInRoot('organization_management'),
    query: AuditQuery,
    response: { 200: Type.Array(AuditRecord) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      using open = ctx.queries.open(caller.tenantId)
      const rows = await pageAfter(
        open.db
          .selectFrom('audit_log')
          .selectAll()
          .where('tenant_id', '=', caller.tenantId)
          .$if(query.resourceType !== undefined, (q) => q.where('resource_type', '=', query.resourceType!))
          .$if(query.resourceId !== undefined, (q) => q.where('resource_id', '=', query.resourceId!)),
        'id',
        page,
        'desc',
      )
      return platformPage({ rows, limit: page.limit, shape: auditShape, request })
    },
  }),
]

const auditShape = (row: {
  id: string
  at: Date
  actor_type: string
  actor_id: string | null
  action: string
  resource_type: string
  resource_id: string
  before: object | null
  after: object | null
  request_id: string | null
}) => ({
  id: row.id,
  at: formatTimestamp(row.at),
  actorType: row.actor_type,
  actorId: row.actor_id,
  action: row.action,
  resourceType: row.resource_type,
  resourceId: row.resource_id,
  before: row.before,
  after: row.after,
  requestId: row.request_id,
})
