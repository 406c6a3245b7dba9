/** Sends a provider event to a webhook; the job is retried until the webhook accepts the event. [docs/providers#webhooks] */
import { createHmac } from 'node:crypto'
import type { Context } from '../../context.ts'
import { type Receiver, ReceiverError, type SendOutcome } from '../../jobs/receiver.ts'
import { OutboundError } from '../../lib/outbound.ts'
import type { ProviderEvent } from './events.ts'
import { webhookSecret } from './store.ts'

export const DELIVER_PROVIDER_EVENT = 'deliver-provider-event'

/** The payload of the job. */
export interface Delivery {
  webhookId: string
  event: ProviderEvent
}

export const webhookReceiver = (webhook: { id: string; tenant_id: string }): Receiver => ({
  kind: 'webhook',
  id: webhook.id,
  tenantId: webhook.tenant_id,
})

/** @throws ReceiverError when the webhook did not accept the event, with the reason for the job's record */
export async function deliverProviderEvent(
  ctx: Pick<Context, 'db' | 'outbound' | 'sealer'>,
  { webhookId, event }: Delivery,
): Promise<SendOutcome> {
  const webhook = await ctx.db
    .selectFrom('provider_webhooks')
    .selectAll()
    .where('id', '=', webhookId)
    .executeTakeFirst()
  // The webhook was deleted in the meantime.
  if (!webhook) return 'not_asked'
  const body = JSON.stringify(event)
  const signature = createHmac('sha256', webhookSecret(ctx.sealer, webhook)).update(body).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'x-webhook-signature': signature,
    ...(webhook.routing_target_id && { 'x-routing-target-id': webhook.routing_target_id }),
  }
  const { status } = await ctx.outbound
    .send({ method: 'POST', url: webhook.url, headers, body })
    .catch((error: unknown) => {
      if (!(error instanceof OutboundError)) throw error
      throw new ReceiverError(error.message, false)
    })
  if (status >= 200 && status < 300) return 'answered'
  throw new ReceiverError(`answered ${status} to event ${event.id}`, !isTemporary(status))
}

/** These statuses do not depend on the event: another event would get the same answer. */
const isTemporary = (status: number) => status >= 500 || status === 429 || status === 408
