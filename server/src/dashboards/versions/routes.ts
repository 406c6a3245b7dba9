/** Routes for the history of dashboards, and for deleted ones. [docs/dashboards#versions] */
import Type from 'typebox'
import { findCallerReach, requirePrivilegeIn } from '../../access/require.ts'
import { visibleTo } from '../../access/decisions/visible-to.ts'
import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import { permission, privilege } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { Uuid } from '../../http/shapes.ts'
import { changeDashboard } from '../change-dashboard.ts'
import { DashboardPath, DashboardRecord, dashboardId, dashboardShape } from '../schema.ts'
import { insertDashboard } from '../store.ts'
import {
  DashboardVersion,
  DashboardVersionData,
  DeletedDashboard,
  deletedShape,
  versionShape,
} from './schema.ts'
import {
  getDeletionForUpdate,
  getLastVersion,
  getVersion,
  listDeletions,
  listVersions,
  recordVersion,
} from './store.ts'

const VersionPath = Type.Object({
  dashboardId: Uuid,
  version: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The version' }),
})
const isVersion = (key: string) => /^\d{1,9}$/.test(key)
const resourceType = 'dashboard'

export const dashboardVersionRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/dashboards/{dashboardId}/versions',
    operationId: 'listDashboardVersions',
    summary: 'List the versions of a dashboard, newest first',
    access: permission('manage', resourceType, dashboardId),
    params: DashboardPath,
    query: PlatformPageQuery,
    response: { 200: Type.Array(DashboardVersion) },
    handler: async ({ params, caller, query, request }) => {
      const page = pageRequest(query, isVersion)
      const rows = await listVersions(ctx.db, caller.tenantId, params.dashboardId, page)
      const key = ({ version }: { version: number }) => String(version)
      return platformPage({ rows, limit: page.limit, shape: versionShape, key, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/dashboards/{dashboardId}/versions/{version}',
    operationId: 'getDashboardVersion',
    summary: 'Get a version of a dashboard with its data',
    access: permission('manage', resourceType, dashboardId),
    params: VersionPath,
    response: { 200: DashboardVersionData },
    handler: async ({ params, caller }) => {
      const row = await getVersion(ctx.db, caller.tenantId, params)
      return { ...versionShape(row), data: row.data }
    },
  }),
  route({
    method: 'POST',
    url: '/v1/dashboards/{dashboardId}/versions/{version}/restore',
    operationId: 'restoreDashboardVersion',
    summary: 'Make an older version of a dashboard the newest',
    access: permission('manage', resourceType, dashboardId),
    params: VersionPath,
    response: { 200: DashboardRecord },
    handler: ({ params, caller }) =>
      audited(ctx.db, { actor: caller, action: 'restore', resourceType }, async (tx) => {
        const { data, display_name, description } = await getVersion(tx, caller.tenantId, params)
        if (data === null)
          throw new ApiError(
            'conflict',
            'This version is a deletion, which has no data. Restore another one.',
          )
        const changes = { displayName: display_name, description, data }
        return changeDashboard(tx, caller, { id: params.dashboardId, action: 'restore', changes })
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/deleted-dashboards',
    operationId: 'listDeletedDashboards',
    summary: 'List deleted dashboards that can be restored',
    access: privilege('dashboard_management'),
    query: PlatformPageQuery,
    response: { 200: Type.Array(DeletedDashboard) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const reach = await findCallerReach(ctx, caller, resourceType)
      const visible = visibleTo(reach, { id: 'v.dashboard_id', organization: 'v.organization_id' })
      const rows = await listDeletions(ctx.db, caller.tenantId, visible, page)
      const key = (row: { dashboard_id: string }) => row.dashboard_id
      return platformPage({ rows, limit: page.limit, shape: deletedShape, key, request })
    },
  }),
  route({
    method: 'POST',
    url: '/v1/deleted-dashboards/{dashboardId}/restore',
    operationId: 'restoreDeletedDashboard',
    summary: 'Restore a deleted dashboard with its id and history',
    access: privilege('dashboard_management'),
    params: DashboardPath,
    response: { 200: DashboardRecord },
    handler: ({ params, caller }) =>
      audited(ctx.db, { actor: caller, action: 'restore', resourceType }, async (tx) => {
        const { tenantId } = caller
        const deletion = await getDeletionForUpdate(tx, tenantId, params.dashboardId)
        const last = await getLastVersion(tx, tenantId, params.dashboardId)
        await requirePrivilegeIn(ctx, caller, 'dashboard_management', last.organization_id)
        const row = await insertDashboard(tx, tenantId, {
          id: params.dashboardId,
          version: deletion.version + 1,
          displayName: last.display_name,
          description: last.description,
          data: last.data,
          organizationId: last.organization_id,
        })
        return { after: dashboardShape(await recordVersion(tx, caller, 'restore', row)) }
      }),
  }),
]
