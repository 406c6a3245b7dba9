/** Routes of alarms: create, list, change and delete them. [docs/alarms#fields] */
import Type from 'typebox'
import { listVisible } from '../access/list-visible.ts'
import type { Context } from '../context.ts'
import { permission, privilege, visible } from '../http/access.ts'
import { PlatformSearchQuery } from '../http/page.ts'
import { route, type Route } from '../http/route.ts'
import { Uuid } from '../http/shapes.ts'
import { backtestRoutes } from './backtest/routes.ts'
import { createAlarm, putAlarm, removeAlarm } from './change-alarm.ts'
import { AlarmRecord, alarmShape, CreateAlarm } from './schema.ts'
import { statusRoutes } from './statuses/routes.ts'
import { getAlarm, listAlarms } from './store.ts'

const AlarmPath = Type.Object({ alarmId: Uuid })
const alarmId = (p: Record<string, string>) => p.alarmId!

export const alarmRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/alarms',
    summary: 'Create an alarm; without a model it watches nothing',
    access: privilege('alarm_management'),
    body: CreateAlarm,
    refuses: [409],
    response: { 201: AlarmRecord },
    handler: ({ body, caller }) => createAlarm(ctx, caller, body),
  }),
  route({
    method: 'GET',
    url: '/v1/alarms',
    summary: 'List alarms',
    access: visible('alarm'),
    query: PlatformSearchQuery,
    response: { 200: Type.Array(AlarmRecord) },
    handler: (input) =>
      listVisible(ctx, input, {
        type: 'alarm',
        columns: { id: 'a.id', organization: 'a.organization_id' },
        searched: ['a.name'],
        list: listAlarms,
        shape: alarmShape,
      }),
  }),
  ...statusRoutes(ctx),
  ...backtestRoutes(ctx),
  route({
    method: 'GET',
    url: '/v1/alarms/{alarmId}',
    summary: 'Get an alarm',
    access: permission('view', 'alarm', alarmId),
    params: AlarmPath,
    response: { 200: AlarmRecord },
    handler: async ({ params, caller }) =>
      alarmShape(await getAlarm(ctx.db, caller.tenantId, params.alarmId)),
  }),
  route({
    method: 'PUT',
    url: '/v1/alarms/{alarmId}',
    summary: 'Change an alarm; if it watches other samples afterwards, its open statuses are cleared',
    access: permission('manage', 'alarm', alarmId),
    params: AlarmPath,
    body: CreateAlarm,
    refuses: [409],
    response: { 200: AlarmRecord },
    handler: ({ params, body, caller }) => putAlarm(ctx, caller, params.alarmId, body),
  }),
  route({
    method: 'DELETE',
    url: '/v1/alarms/{alarmId}',
    summary: 'Delete an alarm; its open statuses are cleared',
    access: permission('delete', 'alarm', alarmId),
    params: AlarmPath,
    response: { 204: null },
    handler: ({ params, caller }) => removeAlarm(ctx, caller, params.alarmId),
  }),
]
