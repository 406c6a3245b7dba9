/** Tells a webhook of a provider event; the job queue tries again until it is taken. [contract §4, Webhook] */
import { createHmac } from 'node:crypto'
import type { Context } from '../../context.ts'
import { webhookSecret } from './store.ts'

export const DELIVER_PROVIDER_EVENT = 'deliver-provider-event'

/** On the wire as it is here. */
export interface ProviderEvent {
  id: string
  event: 'device.deleted'
  device_id: string
  occurred_at: string
}

/** The payload of the job. */
export interface Delivery {
  webhookId: string
  event: ProviderEvent
}

/** @throws when it was not taken, with a reason for the job's record */
export async function deliverProviderEvent(ctx: Context, { webhookId, event }: Delivery): Promise<void> {
  const webhook = await ctx.db
    .selectFrom('provider_webhooks')
    .selectAll()
    .where('id', '=', webhookId)
    .executeTakeFirst()
  // Unsubscribed in the meantime.
  if (!webhook) return
  const body = JSON.stringify(event)
  const { status } = await ctx.outbound.send({
    method: 'POST',
    url: webhook.url,
    headers: {
      'content-type': 'application/json',
      'x-webhook-signature': createHmac('sha256', webhookSecret(ctx.sealer, webhook))
        .update(body)
        .digest('hex'),
      ...(webhook.routing_target_id && { 'x-routing-target-id': webhook.routing_target_id }),
    },
    body,
  })
  if (status < 200 || status >= 300)
    throw new Error(`webhook ${webhookId} answered ${status} to event ${event.id}`)
}
