/** Routes of notifications, which define who is notified of an alarm, and how. [docs/notifications#fields] */
import Type from 'typebox'
import { listVisible } from '../access/list-visible.ts'
import { requirePrivilegeIn } from '../access/require.ts'
import { audited } from '../audit/audited.ts'
import type { Context } from '../context.ts'
import { both } from '../database/search.ts'
import { permission, privilege, visible } from '../http/access.ts'
import { PlatformSearchQuery } from '../http/page.ts'
import { route, type Route } from '../http/route.ts'
import { Uuid } from '../http/shapes.ts'
import { acknowledgeRoutes } from './acknowledge/routes.ts'
import { changeNotification, createNotification } from './change.ts'
import { contactGroupRoutes } from './contact-groups/routes.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { ChangeNotification, CreateNotification, NotificationRecord, notificationShape } from './schema.ts'
import {
  deleteNotification,
  getNotification,
  getNotificationForUpdate,
  isTriggeredBy,
  listNotifications,
} from './store.ts'
import { subscriberRoutes } from './subscribers.ts'

const NotificationPath = Type.Object({ notificationId: Uuid })
const notificationId = (p: Record<string, string>) => p.notificationId!

export const notificationRoutes = (ctx: Context): Route[] => [
  ...contactGroupRoutes(ctx),
  ...subscriberRoutes(ctx),
  ...deliveryRoutes(ctx),
  ...acknowledgeRoutes(ctx),
  route({
    method: 'POST',
    url: '/v1/notifications',
    summary: 'Create a notification',
    access: privilege('notification_management'),
    body: CreateNotification,
    response: { 201: NotificationRecord },
    handler: async ({ body, caller }) => {
      await requirePrivilegeIn(ctx, caller, 'notification_management', body.organizationId)
      return createNotification(ctx.db, caller, body)
    },
  }),
  route({
    method: 'GET',
    url: '/v1/notifications',
    summary: 'List notifications',
    access: visible('notification'),
    query: Type.Object({
      ...PlatformSearchQuery.properties,
      alarmId: Type.Optional({ ...Uuid, description: 'Only those that this alarm triggers' }),
    }),
    response: { 200: Type.Array(NotificationRecord) },
    handler: (input) =>
      listVisible(ctx, input, {
        type: 'notification',
        columns: { id: 'n.id', organization: 'n.organization_id' },
        searched: ['n.display_name'],
        list: (db, tenantId, seen, page) =>
          listNotifications(db, tenantId, both(seen, isTriggeredBy(input.query.alarmId)), page),
        shape: notificationShape,
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/notifications/{notificationId}',
    summary: 'Get a notification',
    access: permission('view', 'notification', notificationId),
    params: NotificationPath,
    response: { 200: NotificationRecord },
    handler: async ({ params, caller }) =>
      notificationShape(await getNotification(ctx.db, caller.tenantId, params.notificationId)),
  }),
  route({
    method: 'PATCH',
    url: '/v1/notifications/{notificationId}',
    summary: 'Change a notification, its alarms, channels or subscribers',
    access: permission('manage', 'notification', notificationId),
    params: NotificationPath,
    body: ChangeNotification,
    response: { 200: NotificationRecord },
    handler: ({ params, body, caller }) => changeNotification(ctx.db, caller, params.notificationId, body),
  }),
  route({
    method: 'DELETE',
    url: '/v1/notifications/{notificationId}',
    summary: 'Delete a notification and the record of its deliveries',
    access: permission('delete', 'notification', notificationId),
    params: NotificationPath,
    response: { 204: null },
    handler: ({ params, caller }) =>
      audited(ctx.db, { actor: caller, action: 'delete', resourceType: 'notification' }, async (tx) => {
        const row = await getNotificationForUpdate(tx, caller.tenantId, params.notificationId)
        await deleteNotification(tx, caller.tenantId, row.id)
        return { before: notificationShape(row) }
      }),
  }),
]
