/** Routes that show who received a notification, who did not, and why. [docs/notifications#deliveries] */
import Type from 'typebox'
import { requirePermission } from '../../access/require.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { permission } from '../../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { SuppliedId, Uuid } from '../../http/shapes.ts'
import { findCircuits } from '../../jobs/circuits.ts'
import { listRecipients } from '../recipients.ts'
import { getNotification } from '../store.ts'
import {
  DeliveryRecord,
  deliveryShape,
  RecipientRecord,
  recipientShape,
  TestMessage,
  TestMessageRecord,
} from './schema.ts'
import { retryDelivery } from './retry.ts'
import { sendTest } from './send-test.ts'
import { channelReceiver } from './insert.ts'
import { listDeliveries } from './store.ts'

const params = Type.Object({ notificationId: Uuid })
const DeliveryPath = Type.Object({
  notificationId: Uuid,
  deliveryId: { ...Uuid, description: 'One message to one recipient' },
})
/** Not every user who may view the notification may view the addresses and phone numbers of its recipients. */
const access = permission('manage', 'notification', (p) => p.notificationId!)

export const deliveryRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/notifications/{notificationId}/deliveries',
    summary: 'List the outcome of each message, by recipient and channel, newest first',
    access,
    params,
    query: Type.Object({
      ...PlatformPageQuery.properties,
      alarmStatusId: Type.Optional({ ...Uuid, description: 'Only messages about this activation' }),
    }),
    response: { 200: Type.Array(DeliveryRecord) },
    handler: async ({ params: { notificationId }, caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const rows = await listDeliveries(
        ctx.db,
        caller.tenantId,
        { notificationId, alarmStatusId: query.alarmStatusId },
        page,
      )
      const channels = [channelReceiver('email', caller.tenantId), channelReceiver('sms', caller.tenantId)]
      const shape = deliveryShape(ctx, caller.userId, await findCircuits(ctx.db, channels))
      return platformPage({ rows, limit: page.limit, shape, request })
    },
  }),
  route({
    method: 'POST',
    url: '/v1/notifications/{notificationId}/deliveries/{deliveryId}/retry',
    operationId: 'sendDeliveryAgain',
    summary: 'Send a message again that did not arrive',
    access,
    params: DeliveryPath,
    refuses: [409],
    response: { 200: DeliveryRecord },
    handler: async ({ params: place, caller }) => {
      const row = await retryDelivery(ctx, caller, place)
      return deliveryShape(ctx, caller.userId, new Map())(row)
    },
  }),
  route({
    method: 'POST',
    url: '/v1/notifications/{notificationId}/test',
    operationId: 'sendTestMessage',
    summary: 'Send the text of a notification to oneself, with made-up values',
    access,
    params,
    body: TestMessage,
    response: { 200: TestMessageRecord },
    handler: async ({ params: { notificationId }, body: { channel }, caller }) => {
      const notification = await getNotification(ctx.db, caller.tenantId, notificationId)
      const sent = await sendTest(ctx, caller, notification, channel)
      await recordAudit(ctx.db, caller, {
        action: 'test',
        resourceType: 'notification',
        resourceId: notificationId,
        after: { channel, state: sent.state },
      })
      return sent
    },
  }),
  route({
    method: 'GET',
    url: '/v1/notifications/{notificationId}/recipients',
    summary: 'List who would receive it for an alarm on an asset, who would not, and why',
    access,
    params,
    query: Type.Object({ ...PlatformPageQuery.properties, assetId: SuppliedId, alarmId: Uuid }),
    response: { 200: Type.Array(RecipientRecord) },
    handler: async ({ params: { notificationId }, caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const { assetId, alarmId } = query
      await requirePermission(ctx, caller, 'view', { type: 'asset', id: assetId })
      await requirePermission(ctx, caller, 'view', { type: 'alarm', id: alarmId })
      const notification = await getNotification(ctx.db, caller.tenantId, notificationId)
      using queries = ctx.queries.open(caller.tenantId)
      const everybody = await listRecipients(queries.db, ctx.config, notification, { assetId, alarmId })
      const after = everybody.filter(
        ({ candidate }) => page.after === undefined || candidate.userId > page.after,
      )
      return platformPage({
        rows: after.slice(0, page.limit + 1),
        limit: page.limit,
        key: ({ candidate }) => candidate.userId,
        shape: recipientShape,
        request,
      })
    },
  }),
]
