import Type from 'typebox'
import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import { permission } from '../../http/access.ts'
import { validationError } from '../../http/errors.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { Nullable, Timestamp, formatTimestamp, Uuid } from '../../http/shapes.ts'
import { closeCircuit, findCircuits } from '../../jobs/circuits.ts'
import { DeliveryState, deliveryState } from '../../jobs/delivery-state.ts'
import { receiverName } from '../../jobs/receiver.ts'
import { ProviderPath } from '../schema.ts'
import { getProvider } from '../store.ts'
import { webhookReceiver } from './deliver.ts'
import { eventNames } from './events.ts'
import type { WebhookRow } from '../../database/tables/providers.ts'
import { webhookDeliveryRoutes } from './delivery-routes.ts'
import { deleteWebhook, getWebhook, insertWebhook, listWebhooks } from './store.ts'

const resourceType = 'provider_webhook'

const EventName = Type.Enum([...eventNames])

const CreateWebhook = Type.Object({
  url: Type.String({ pattern: '^https?://', maxLength: 2048 }),
  secret: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'Signs each request body; not shown again',
  }),
  events: Type.Optional(
    Type.Array(EventName, {
      minItems: 1,
      uniqueItems: true,
      description: 'The events that it receives; default: `device.deleted`',
    }),
  ),
  routingTargetId: Type.Optional({ ...Uuid, description: 'Sent as header X-Routing-Target-Id' }),
})

const WebhookRecord = Type.Object(
  {
    id: Uuid,
    url: Type.String(),
    events: Type.Array(EventName),
    routingTargetId: Nullable(Uuid),
    createdAt: Timestamp,
    delivery: DeliveryState,
  },
  { title: 'ProviderWebhook' },
)

const WebhookPath = Type.Object({ ...ProviderPath.properties, webhookId: Uuid })
const access = permission('manage', 'provider', (p) => p.providerId!)

export const webhookRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/providers/{providerId}/webhooks',
    summary: 'Send events of a provider, such as `device.deleted`, to a URL',
    access,
    params: ProviderPath,
    body: CreateWebhook,
    response: { 201: WebhookRecord },
    handler: ({ params, body, caller }) => {
      checkUrl(body.url)
      return audited(ctx.db, { actor: caller, action: 'create', resourceType }, async (tx) => {
        const owner = { ...params, tenantId: caller.tenantId }
        await getProvider(tx, owner.tenantId, owner.providerId)
        const after = webhookShape(await insertWebhook(tx, ctx.sealer, owner, body))
        return { after, result: { ...after, delivery: deliveryState(undefined) } }
      })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/webhooks',
    summary: "List a provider's webhooks",
    access,
    params: ProviderPath,
    query: PlatformPageQuery,
    response: { 200: Type.Array(WebhookRecord) },
    handler: async ({ params, caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      await getProvider(ctx.db, caller.tenantId, params.providerId)
      const rows = await listWebhooks(ctx.db, { ...params, tenantId: caller.tenantId }, page)
      const circuits = await findCircuits(ctx.db, rows.map(webhookReceiver))
      const shape = (row: WebhookRow) => ({
        ...webhookShape(row),
        delivery: deliveryState(circuits.get(receiverName(webhookReceiver(row)))),
      })
      return platformPage({ rows, limit: page.limit, shape, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/webhooks/{webhookId}',
    summary: 'Get a webhook',
    access,
    params: WebhookPath,
    response: { 200: WebhookRecord },
    handler: async ({ params, caller: { tenantId } }) => {
      const row = await getWebhook(ctx.db, { ...params, tenantId }, params.webhookId)
      const circuits = await findCircuits(ctx.db, [webhookReceiver(row)])
      return {
        ...webhookShape(row),
        delivery: deliveryState(circuits.get(receiverName(webhookReceiver(row)))),
      }
    },
  }),
  ...webhookDeliveryRoutes(ctx),
  route({
    method: 'DELETE',
    url: '/v1/providers/{providerId}/webhooks/{webhookId}',
    summary: 'Delete a webhook, which receives no more events',
    access,
    params: WebhookPath,
    response: { 204: null },
    handler: ({ params, caller }) =>
      audited(ctx.db, { actor: caller, action: 'delete', resourceType }, async (tx) => {
        const owner = { ...params, tenantId: caller.tenantId }
        const row = await deleteWebhook(tx, owner, params.webhookId)
        // Ends the deliveries that are waiting for the webhook.
        await closeCircuit(tx, receiverName(webhookReceiver(row)))
        return { before: webhookShape(row) }
      }),
  }),
]

/** Everyone who may list webhooks sees the URL, so it must not contain a password. */
function checkUrl(url: string) {
  if (!URL.canParse(url)) throw validationError({ path: 'url', message: 'is not a URL' })
  const { username, password } = new URL(url)
  if (username || password)
    throw validationError({ path: 'url', message: 'must not contain a user name or password' })
}

const webhookShape = (row: WebhookRow) => ({
  id: row.id,
  url: row.url,
  events: row.events,
  routingTargetId: row.routing_target_id,
  createdAt: formatTimestamp(row.created_at),
})
