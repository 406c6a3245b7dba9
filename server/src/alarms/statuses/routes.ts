/** Routes of open and cleared alarm statuses. [docs/alarms#status-records] */
import Type from 'typebox'
import { findCallerReach, requireBeyondDataView, requirePermission } from '../../access/require.ts'
import { visibleTo } from '../../access/decisions/visible-to.ts'
import type { Context } from '../../context.ts'
import { type Caller, permission, user, visible } from '../../http/access.ts'
import { orNotFound } from '../../http/errors.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { SuppliedId, Uuid } from '../../http/shapes.ts'
import { acknowledgeAlarm } from './acknowledge.ts'
import { AlarmStatusRecord, HistoryQuery } from './schema.ts'
import type { AlarmStatusRow } from '../../database/tables/alarms.ts'
import { statusShape } from './shape.ts'
import { findStatus, listStatuses } from './store.ts'

export const statusRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/alarms/status',
    operationId: 'listAlarmStatuses',
    summary: 'List open alarm statuses, the newest first',
    access: visible('alarm'),
    query: PlatformPageQuery,
    response: { 200: Type.Array(AlarmStatusRecord) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const seen = await visibilityFilter(ctx, caller)
      const rows = await listStatuses(ctx.db, caller.tenantId, { isCleared: false, visible: seen }, page)
      return platformPage({ rows, limit: page.limit, shape: statusShape, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/alarms/status/history',
    operationId: 'listClearedAlarmStatuses',
    summary: 'List cleared alarm statuses, the newest first',
    access: visible('alarm'),
    query: HistoryQuery,
    response: { 200: Type.Array(AlarmStatusRecord) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const filter = { isCleared: true, alarmId: query.alarmId, assetId: query.entityId }
      const seen = await visibilityFilter(ctx, caller)
      const rows = await listStatuses(ctx.db, caller.tenantId, { ...filter, visible: seen }, page)
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
        visible: [await alarmsSeenBy(ctx, caller)],
      }
      const rows = await listStatuses(ctx.db, caller.tenantId, filter, page)
      return platformPage({ rows, limit: page.limit, shape: statusShape, request })
    },
  }),
  route({
    method: 'PUT',
    url: '/v1/alarms/status/acknowledge/{alarmStatusId}',
    operationId: 'acknowledgeAlarm',
    summary: 'Acknowledge an alarm',
    access: user(),
    params: Type.Object({ alarmStatusId: Uuid }),
    response: { 200: AlarmStatusRecord },
    handler: async ({ caller, params }) => {
      const { tenantId, userId } = caller
      const row = orNotFound(
        await findStatus(ctx.db, tenantId, params.alarmStatusId),
        'alarm status',
        params.alarmStatusId,
      )
      await requireSeen(ctx, caller, row)
      await requireBeyondDataView(ctx, caller, { type: 'alarm', id: row.alarm_id })
      if (row.state !== 'cleared')
        await acknowledgeAlarm(ctx, { tenantId, alarmStatusId: row.id, by: userId, actor: caller })
      return statusShape((await findStatus(ctx.db, tenantId, row.id))!)
    },
  }),
]

const alarmsSeenBy = async (ctx: Context, caller: Caller) =>
  visibleTo(await findCallerReach(ctx, caller, 'alarm'), {
    id: 's.alarm_id',
    organization: 's.organization_id',
  })

/** The caller must be able to view both the alarm and the asset. */
async function visibilityFilter(ctx: Context, caller: Caller) {
  const assets = await findCallerReach(ctx, caller, 'asset')
  return [
    await alarmsSeenBy(ctx, caller),
    visibleTo(assets, { id: 's.asset_id', organization: 's.asset_organization_id' }),
  ]
}

/**
 * The recipient of a notification must be able to view the alarm and acknowledge it. The asset is checked without the
 * token's restrictions, since a token restricted to alarms could not view it otherwise.
 */
async function requireSeen(ctx: Context, caller: Caller, row: AlarmStatusRow): Promise<void> {
  await requirePermission(ctx, caller, 'view', { type: 'alarm', id: row.alarm_id })
  await requirePermission(ctx, { ...caller, privileges: null }, 'view', { type: 'asset', id: row.asset_id })
}
