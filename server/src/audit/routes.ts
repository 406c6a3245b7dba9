import type { Kysely } from 'kysely'
import Type, { type Static } from 'typebox'
import type { Context } from '../context.ts'
import { pageAfter } from '../database/page.ts'
import type { Tables } from '../database/tables.ts'
import { privilegeInRoot } from '../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../http/page.ts'
import { readTime } from '../http/read-time.ts'
import { route, type Route } from '../http/route.ts'
import { FreeObject, Nullable, Timestamp, formatTimestamp, Uuid } from '../http/shapes.ts'
import { firstIdAt } from '../lib/ids.ts'

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
  actorId: Type.Optional(
    Type.String({ maxLength: 128, description: 'The user, the API token, or the part of the platform' }),
  ),
  action: Type.Optional(Type.String({ maxLength: 64 })),
  from: Type.Optional({ ...Timestamp, description: 'The earliest time' }),
  to: Type.Optional({ ...Timestamp, description: 'The end of the span, exclusive' }),
})
type AuditFilter = Pick<
  Static<typeof AuditQuery>,
  'resourceType' | 'resourceId' | 'actorId' | 'action' | 'from' | 'to'
>

/** Ids are made a little earlier or later than `at`: in long transactions, and by nodes whose clocks differ. */
const ID_MARGIN_MS = 3_600_000

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
      const rows = await pageAfter(selectRecords(open.db, caller.tenantId, query), 'id', page, 'desc')
      return platformPage({ rows, limit: page.limit, shape: auditShape, request })
    },
  }),
]

/** The times also bound the ids, by which the table is sorted. */
function selectRecords(db: Kysely<Tables>, tenantId: string, filter: AuditFilter) {
  const { resourceType, resourceId, actorId, action } = filter
  const [from, to] = [readTime(filter.from, 'from'), readTime(filter.to, 'to')]
  return db
    .selectFrom('audit_log')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .$if(resourceType !== undefined, (q) => q.where('resource_type', '=', resourceType!))
    .$if(resourceId !== undefined, (q) => q.where('resource_id', '=', resourceId!))
    .$if(actorId !== undefined, (q) => q.where('actor_id', '=', actorId!))
    .$if(action !== undefined, (q) => q.where('action', '=', action!))
    .$if(from !== undefined, (q) =>
      q.where('at', '>=', from!).where('id', '>=', firstIdAt(Math.max(0, from!.getTime() - ID_MARGIN_MS))),
    )
    .$if(to !== undefined, (q) =>
      q.where('at', '<', to!).where('id', '<', firstIdAt(Math.max(0, to!.getTime() + ID_MARGIN_MS))),
    )
}

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
