/** Routes for the caller's own draft of a dashboard, which is not in the audit log. [docs/dashboards#drafts] */
import type { Context } from '../../context.ts'
import { permission } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { requireDataSize } from '../data/require-data.ts'
import { BODY_LIMIT, DashboardPath, dashboardId } from '../schema.ts'
import { getDashboardForUpdate } from '../store.ts'
import { DashboardDraft, draftShape, WriteDraft } from './schema.ts'
import { deleteDraft, getDraft, writeDraft } from './store.ts'

const url = '/v1/dashboards/{dashboardId}/draft'
const access = permission('manage', 'dashboard', dashboardId)

export const dashboardDraftRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url,
    operationId: 'getDashboardDraft',
    summary: "Get the caller's draft of a dashboard",
    access,
    params: DashboardPath,
    response: { 200: DashboardDraft },
    handler: async ({ params, caller }) => draftShape(await getDraft(ctx.db, caller, params.dashboardId)),
  }),
  route({
    method: 'PUT',
    url,
    operationId: 'replaceDashboardDraft',
    summary: "Write the caller's draft of a dashboard",
    access,
    params: DashboardPath,
    body: WriteDraft,
    bodyLimit: BODY_LIMIT,
    response: { 200: DashboardDraft },
    handler: ({ params, body, caller }) => {
      requireDataSize(body.data)
      return ctx.db.transaction().execute(async (tx) => {
        await getDashboardForUpdate(tx, caller.tenantId, params.dashboardId)
        return draftShape(await writeDraft(tx, caller, { ...params, ...body }))
      })
    },
  }),
  route({
    method: 'DELETE',
    url,
    operationId: 'deleteDashboardDraft',
    summary: "Delete the caller's draft of a dashboard",
    access,
    params: DashboardPath,
    response: { 204: null },
    handler: ({ params, caller }) => deleteDraft(ctx.db, caller, params.dashboardId),
  }),
]
