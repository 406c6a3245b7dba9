/** Routes of open and cleared alarm statuses. [docs/alarms#status-records] */
import Type, { type Static } from 'typebox'
import { requireBeyondDataView, requirePermission } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import { type Caller, permission, user, visible } from '../../http/access.ts'
import { orNotFound } from '../../http/errors.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { SuppliedId, Uuid } from '../../http/shapes.ts'
import { acknowledgeAlarm } from './acknowledge.ts'
import { Acknowledge, AlarmStatusRecord, HistoryQuery, OpenQuery } from './schema.ts'
import type { AlarmState, AlarmStatusRow } from '../../database/tables/alarms.ts'
import { statusShape } from './shape.ts'
import { findStatus, listStatuses } from './store.ts'
import { findVisibleAlarms, findVisibleStatuses } from './visible-statuses.ts'

const StatusPath = Type.Object({ alarmStatusId: Uuid })

export const statusRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/alarms/status',
    operationId: 'listAlarmStatuses',
    summary: 'List open alarm statuses, the newest first',
    access: visible('alarm'),
    forDashboards: true,
    query: OpenQuery,
    response: { 200: Type.Array(AlarmStatusRecord) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const filter = { ...(await readFilter(ctx, caller, query)), isCleared: false }
      const rows = await listStatuses(ctx.db, caller.tenantId, filter, page)
      return platformPage({ rows, limit: page.limit, shape: statusShape, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/alarms/status/history',
    operationId: 'listClearedAlarmStatuses',
    summary: 'List cleared alarm statuses, the newest first',
    access: visible('alarm'),
    forDashboards: true,
    query: HistoryQuery,
    response: { 200: Type.Array(AlarmStatusRecord) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const filter = { ...(await readFilter(ctx, caller, query)), isCleared: true }
      const rows = await listStatuses(ctx.db, caller.tenantId, filter, page)
      return platformPage({ rows, limit: page.limit, shape: statusShape, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/alarms/status/entity/{entityId}',
    operationId: 'listAlarmStatusesOfAsset',
    summary: 'List open alarm statuses of an asset, the newest first',
    access: permission('view', 'asset', (p) => p.entityId!),
    params: Type.Object({ entityId: SuppliedId }),
    query: PlatformPageQuery,
    response: { 200: Type.Array(AlarmStatusRecord) },
    handler: async ({ caller, params, query, request }) => {
      const page = pageRequest(query, isUuid)
      const filter = {
        isCleared: false,
        assetId: params.entityId,
        visible: [await findVisibleAlarms(ctx, caller)],
      }
      const rows = await listStatuses(ctx.db, caller.tenantId, filter, page)
      return platformPage({ rows, limit: page.limit, shape: statusShape, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/alarms/status/{alarmStatusId}',
    operationId: 'getAlarmStatus',
    summary: 'Get one alarm status, open or cleared',
    access: user(),
    params: StatusPath,
    response: { 200: AlarmStatusRecord },
    handler: async ({ caller, params }) => {
      const [row] = await listStatuses(
        ctx.db,
        caller.tenantId,
        { id: params.alarmStatusId, visible: await findVisibleStatuses(ctx, caller) },
        { limit: 1, after: undefined },
      )
      return statusShape(orNotFound(row, 'alarm status', params.alarmStatusId))
    },
  }),
  route({
    method: 'PUT',
    url: '/v1/alarms/status/acknowledge/{alarmStatusId}',
    operationId: 'acknowledgeAlarm',
    summary: 'Acknowledge an alarm',
    access: user(),
    params: StatusPath,
    body: Type.Optional(Acknowledge),
    response: { 200: AlarmStatusRecord },
    handler: async ({ caller, params, body }) => {
      const { tenantId, userId } = caller
      const row = orNotFound(
        await findStatus(ctx.db, tenantId, params.alarmStatusId),
        'alarm status',
        params.alarmStatusId,
      )
      await requireSeen(ctx, caller, row)
      await requireBeyondDataView(ctx, caller, { type: 'alarm', id: row.alarm_id })
      const by = { tenantId, alarmStatusId: row.id, by: userId, comment: body?.comment, actor: caller }
      if (row.state !== 'cleared') await acknowledgeAlarm(ctx, by)
      return statusShape((await findStatus(ctx.db, tenantId, row.id))!)
    },
  }),
]

/** Reads the filters of a list. A node that is named has to be visible, since the answer says what it contains. */
async function readFilter(
  ctx: Context,
  caller: Caller,
  query: Static<typeof HistoryQuery> & { state?: AlarmState },
) {
  const { alarmId, entityId, nodeId, minSeverity, state } = query
  if (nodeId !== undefined) await requirePermission(ctx, caller, 'view', { type: 'node', id: nodeId })
  const visibleStatuses = await findVisibleStatuses(ctx, caller)
  return { alarmId, assetId: entityId, nodeId, minSeverity, state, visible: visibleStatuses }
}

/**
 * The recipient of a notification must be able to view the alarm and acknowledge it. The asset is checked without the
 * token's restrictions, since a token restricted to alarms could not view it otherwise.
 */
async function requireSeen(ctx: Context, caller: Caller, row: AlarmStatusRow): Promise<void> {
  await requirePermission(ctx, caller, 'view', { type: 'alarm', id: row.alarm_id })
  await requirePermission(ctx, { ...caller, privileges: null }, 'view', { type: 'asset', id: row.asset_id })
}
