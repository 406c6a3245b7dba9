import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { addJob } from '../../jobs/add-job.ts'
import { newId } from '../../lib/ids.ts'
import type { ClientRef } from '../clients/store.ts'
import { DELIVER_PROVIDER_EVENT, type Delivery, webhookReceiver } from './deliver.ts'
import { deliveryKey } from './delivery-key.ts'
import type { ProviderEvent } from './events.ts'

/**
 * Enqueues one delivery per device and webhook of the provider, in the transaction that deletes the clients. The event
 * keeps its id over all retries, so that receivers can recognize repetitions.
 */
export async function enqueueDevicesDeleted(
  tx: Kysely<Tables>,
  { tenantId, providerId }: Omit<ClientRef, 'clientId'>,
  clientIds: string[],
): Promise<void> {
  const webhooks = await tx
    .selectFrom('provider_webhooks')
    // The database's clock is used, because onboarding on this platform compares the time with its registrations.
    .select(['id', 'tenant_id', sql<Date>`clock_timestamp()`.as('at')])
    .where('tenant_id', '=', tenantId)
    .where('provider_id', '=', providerId)
    .where(sql<boolean>`'device.deleted' = any(events)`)
    .execute()
  if (webhooks.length === 0) return
  const occurredAt = webhooks[0]!.at.toISOString()
  for (const clientId of clientIds)
    await addDeliveries(tx, webhooks, {
      id: newId(),
      event: 'device.deleted',
      device_id: clientId,
      occurred_at: occurredAt,
    })
}

/** Enqueues one delivery of a new event for each webhook. */
export async function addDeliveries(
  tx: Kysely<Tables>,
  webhooks: { id: string; tenant_id: string }[],
  event: ProviderEvent,
): Promise<void> {
  for (const webhook of webhooks) {
    const delivery: Delivery = { webhookId: webhook.id, event }
    const key = deliveryKey(webhook.id, event.id)
    await addJob(tx, DELIVER_PROVIDER_EVENT, delivery, { key, receiver: webhookReceiver(webhook) })
  }
}
