import Type from 'typebox'
import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import { permission } from '../../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { Uuid } from '../../http/shapes.ts'
import { ProviderPath } from '../schema.ts'
import {
  listWebhookDeliveries,
  retryWebhookDelivery,
  WebhookDeliveryRecord,
  webhookDeliveryShape,
} from './deliveries.ts'
import { getWebhook } from './store.ts'

const access = permission('manage', 'provider', (p) => p.providerId!)
const WebhookPath = Type.Object({ ...ProviderPath.properties, webhookId: Uuid })

export const webhookDeliveryRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/webhooks/{webhookId}/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries that a webhook has not accepted, the oldest first',
    access,
    params: WebhookPath,
    query: PlatformPageQuery,
    response: { 200: Type.Array(WebhookDeliveryRecord) },
    handler: async ({ params, caller: { tenantId }, query, request }) => {
      const page = pageRequest(query, isUuid)
      const webhook = await getWebhook(ctx.db, { ...params, tenantId }, params.webhookId)
      using open = ctx.queries.open(tenantId)
      const rows = await listWebhookDeliveries(open.db, webhook.id, page)
      return platformPage({ rows, limit: page.limit, shape: webhookDeliveryShape, request })
    },
  }),
  route({
    method: 'POST',
    url: '/v1/providers/{providerId}/webhooks/{webhookId}/deliveries/{deliveryId}/retry',
    operationId: 'sendWebhookDeliveryAgain',
    summary: 'Send a delivery now that its webhook has not accepted',
    access,
    params: Type.Object({
      ...WebhookPath.properties,
      deliveryId: { ...Uuid, description: 'The delivery' },
    }),
    response: { 200: WebhookDeliveryRecord },
    handler: ({ params: { deliveryId, webhookId, providerId }, caller }) => {
      const resourceType = 'webhook_delivery'
      return audited(ctx.db, { actor: caller, action: 'retry', resourceType }, async (tx) => {
        const webhook = await getWebhook(tx, { providerId, tenantId: caller.tenantId }, webhookId)
        const row = await retryWebhookDelivery(tx, webhook.id, deliveryId)
        return {
          resourceId: deliveryId,
          after: { providerId, webhookId },
          result: webhookDeliveryShape(row),
        }
      })
    },
  }),
]
