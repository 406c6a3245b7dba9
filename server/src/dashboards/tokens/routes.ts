/** API tokens that are limited to what one dashboard shows, such as for a screen on a wall. [docs/dashboards#tokens] */
import Type from 'typebox'
import { ApiTokenSummary, NewApiToken, requireFuture } from '../../access/api-tokens/schema.ts'
import {
  apiTokenShape,
  deleteApiTokensOfDashboard,
  insertApiToken,
  listApiTokensOfDashboard,
} from '../../access/api-tokens/store.ts'
import { requireUnlimited } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import { permission } from '../../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { DisplayName, Timestamp, Uuid } from '../../http/shapes.ts'
import { DashboardPath, dashboardId } from '../schema.ts'

const CreateDashboardToken = Type.Object({
  displayName: DisplayName,
  expiresAt: { ...Timestamp, description: 'When the token ends, at the latest' },
})

const DashboardToken = Type.Object(
  {
    ...ApiTokenSummary.properties,
    expiresAt: Timestamp,
    createdBy: Type.Object({ userId: Uuid, displayName: Type.String() }),
  },
  { title: 'DashboardToken' },
)

const TokenPath = Type.Object({ dashboardId: Uuid, tokenId: Uuid })

export const dashboardTokenRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/dashboards/{dashboardId}/api-tokens',
    operationId: 'createDashboardToken',
    summary:
      'Create an API token that reads what the dashboard shows and nothing else; it is shown only once',
    access: permission('share', 'dashboard', dashboardId),
    secret: true,
    params: DashboardPath,
    body: CreateDashboardToken,
    response: { 201: NewApiToken },
    handler: async ({ params, body, caller }) => {
      // It reads assets and files too, for which a limited token is not.
      requireUnlimited(caller)
      const wanted = {
        displayName: body.displayName,
        privileges: ['data_view'],
        expiresAt: new Date(body.expiresAt),
        dashboardId: params.dashboardId,
      }
      requireFuture(wanted.expiresAt)
      return ctx.db.transaction().execute((tx) => insertApiToken(tx, caller, wanted))
    },
  }),
  route({
    method: 'GET',
    url: '/v1/dashboards/{dashboardId}/api-tokens',
    operationId: 'listDashboardTokens',
    summary: 'List the API tokens of all users that are limited to the dashboard',
    access: permission('share', 'dashboard', dashboardId),
    params: DashboardPath,
    query: PlatformPageQuery,
    response: { 200: Type.Array(DashboardToken) },
    handler: async ({ params, caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const rows = await listApiTokensOfDashboard(ctx.db, { ...params, tenantId: caller.tenantId }, page)
      return platformPage({ rows, limit: page.limit, shape: dashboardTokenShape, request })
    },
  }),
  route({
    method: 'DELETE',
    url: '/v1/dashboards/{dashboardId}/api-tokens/{tokenId}',
    operationId: 'deleteDashboardToken',
    summary: 'Revoke an API token that is limited to the dashboard, whichever user made it; it ends at once',
    access: permission('share', 'dashboard', dashboardId),
    params: TokenPath,
    response: { 204: null },
    handler: ({ params: { dashboardId: ofDashboard, tokenId }, caller }) =>
      ctx.db
        .transaction()
        .execute((tx) => deleteApiTokensOfDashboard(tx, caller, { dashboardId: ofDashboard, id: tokenId })),
  }),
]

const dashboardTokenShape = (row: Awaited<ReturnType<typeof listApiTokensOfDashboard>>[number]) => ({
  ...apiTokenShape(row),
  createdBy: { userId: row.user_id, displayName: row.user_name },
})
