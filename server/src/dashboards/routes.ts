/** Routes for dashboards. Their widgets are versioned data. [docs/dashboards#data] */
import Type from 'typebox'
import { findCallerReach, requirePrivilegeIn } from '../access/require.ts'
import { visibleTo } from '../access/decisions/visible-to.ts'
import { audited } from '../audit/audited.ts'
import type { Context } from '../context.ts'
import { permission, privilege, visible } from '../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../http/page.ts'
import { route, type Route } from '../http/route.ts'
import { Uuid } from '../http/shapes.ts'
import { requireDashboardData } from './data/require-data.ts'
import { ChangeDashboard, CreateDashboard, DashboardRecord, dashboardShape } from './schema.ts'
import {
  deleteDashboard,
  getDashboard,
  getDashboardForUpdate,
  insertDashboard,
  listDashboards,
  updateDashboard,
} from './store.ts'

const DashboardPath = Type.Object({ dashboardId: Uuid })
const dashboardId = (p: Record<string, string>) => p.dashboardId!
const resourceType = 'dashboard'

/** Room for data of the greatest size, indented, with the other fields. */
const BODY_LIMIT = 4 * 1024 * 1024

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
        after: dashboardShape(await insertDashboard(tx, caller.tenantId, body)),
      }))
    },
  }),
  route({
    method: 'GET',
    url: '/v1/dashboards',
    summary: 'List dashboards',
    access: visible('dashboard'),
    query: PlatformPageQuery,
    response: { 200: Type.Array(DashboardRecord) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const reach = await findCallerReach(ctx, caller, 'dashboard')
      const visibility = visibleTo(reach, { id: 'd.id', organization: 'd.organization_id' })
      const { rows, fitting } = await listDashboards(ctx.db, caller.tenantId, visibility, page)
      return platformPage({ rows, limit: fitting, shape: dashboardShape, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/dashboards/{dashboardId}',
    summary: 'Get a dashboard',
    access: permission('view', 'dashboard', dashboardId),
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
    handler: ({ params, body, caller }) => {
      requireDashboardData(body.data ?? {})
      return audited(ctx.db, { actor: caller, action: 'update', resourceType }, async (tx) => {
        const { tenantId } = caller
        const before = dashboardShape(await getDashboardForUpdate(tx, tenantId, params.dashboardId))
        const after = dashboardShape(await updateDashboard(tx, tenantId, { ...before, ...body }))
        return { before, after }
      })
    },
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
        const before = dashboardShape(await getDashboardForUpdate(tx, caller.tenantId, params.dashboardId))
        await deleteDashboard(tx, caller.tenantId, before.id)
        return { before }
      }),
  }),
]
