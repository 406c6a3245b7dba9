/** Routes for dashboards. Their widgets are versioned data. [docs/dashboards#data] */
import Type from 'typebox'
import { deleteApiTokensOfDashboard } from '../access/api-tokens/store.ts'
import { findCallerReach, requirePrivilegeIn } from '../access/require.ts'
import { visibleTo } from '../access/decisions/visible-to.ts'
import { audited } from '../audit/audited.ts'
import type { Context } from '../context.ts'
import { both, contains } from '../database/search.ts'
import { permission, privilege, visible } from '../http/access.ts'
import { isUuid, pageRequest, platformPage } from '../http/page.ts'
import { route, type Route } from '../http/route.ts'
import { changeDashboard } from './change-dashboard.ts'
import { requireDashboardData } from './data/require-data.ts'
import {
  BODY_LIMIT,
  ChangeDashboard,
  CreateDashboard,
  DashboardPath,
  DashboardRecord,
  dashboardId,
  dashboardShape,
  ListQuery,
} from './schema.ts'
import {
  deleteDashboard,
  getDashboard,
  getDashboardForUpdate,
  insertDashboard,
  isTemplateOf,
  listDashboards,
} from './store.ts'
import { recordDeletion, recordVersion } from './versions/store.ts'

const resourceType = 'dashboard'

export const dashboardRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/dashboards',
    summary: 'Create a dashboard',
    access: privilege('dashboard_management'),
    body: CreateDashboard,
    bodyLimit: BODY_LIMIT,
    response: { 201: DashboardRecord },
    handler: async ({ body, caller }) => {
      requireDashboardData(body.data ?? {})
      await requirePrivilegeIn(ctx, caller, 'dashboard_management', body.organizationId)
      return audited(ctx.db, { actor: caller, action: 'create', resourceType }, async (tx) => ({
        after: dashboardShape(
          await recordVersion(tx, caller, 'create', await insertDashboard(tx, caller.tenantId, body)),
        ),
      }))
    },
  }),
  route({
    method: 'GET',
    url: '/v1/dashboards',
    summary: 'List dashboards',
    access: visible('dashboard'),
    query: ListQuery,
    response: { 200: Type.Array(DashboardRecord) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const reach = await findCallerReach(ctx, caller, 'dashboard')
      const visibility = visibleTo(reach, { id: 'd.id', organization: 'd.organization_id' })
      const named = both(visibility, contains(query.search, ['d.display_name']))
      const found = query.modelId === undefined ? named : both(named, isTemplateOf(query.modelId))
      // Reads the data of all dashboards.
      using open = query.modelId === undefined ? undefined : ctx.queries.open(caller.tenantId)
      const { rows, fitting } = await listDashboards(open?.db ?? ctx.db, caller.tenantId, found, page)
      return platformPage({ rows, limit: fitting, shape: dashboardShape, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/dashboards/{dashboardId}',
    summary: 'Get a dashboard',
    access: permission('view', 'dashboard', dashboardId),
    forDashboards: true,
    params: DashboardPath,
    response: { 200: DashboardRecord },
    handler: async ({ params, caller }) =>
      dashboardShape(await getDashboard(ctx.db, caller.tenantId, params.dashboardId)),
  }),
  route({
    method: 'PATCH',
    url: '/v1/dashboards/{dashboardId}',
    summary: "Change a dashboard's name, description or data",
    access: permission('manage', 'dashboard', dashboardId),
    params: DashboardPath,
    body: ChangeDashboard,
    bodyLimit: BODY_LIMIT,
    response: { 200: DashboardRecord },
    handler: ({ params, body, caller }) =>
      audited(ctx.db, { actor: caller, action: 'update', resourceType }, (tx) =>
        changeDashboard(tx, caller, { id: params.dashboardId, action: 'update', changes: body }),
      ),
  }),
  route({
    method: 'DELETE',
    url: '/v1/dashboards/{dashboardId}',
    summary: 'Delete a dashboard',
    access: permission('delete', 'dashboard', dashboardId),
    params: DashboardPath,
    response: { 204: null },
    handler: ({ params, caller }) =>
      audited(ctx.db, { actor: caller, action: 'delete', resourceType }, async (tx) => {
        const row = await getDashboardForUpdate(tx, caller.tenantId, params.dashboardId)
        await recordDeletion(tx, caller, row)
        await deleteApiTokensOfDashboard(tx, caller, { dashboardId: row.id })
        await deleteDashboard(tx, caller.tenantId, row.id)
        return { before: dashboardShape(row) }
      }),
  }),
]
