import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { addJob } from '../../jobs/add-job.ts'
import { newId } from '../../lib/ids.ts'
import type { ClientRef } from '../clients/store.ts'
import { DELIVER_PROVIDER_EVENT, type Delivery, type ProviderEvent, webhookReceiver } from './deliver.ts'

/**
 * One delivery of each device for each webhook of the provider, in the transaction that deletes. An event has its id from
 * here on: however often it is delivered, receivers can do it once.
 */
export async function enqueueDevicesDeleted(
  tx: Kysely<Tables>,
  { tenantId, providerId }: Omit<ClientRef, 'clientId'>,
  clientIds: string[],
): Promise<void> {
  const webhooks = await tx
    .selectFrom('provider_webhooks')
    // The database's clock, as in the receiver's registrations when that is this platform: the two are compared.
    .select(['id', 'tenant_id', sql<Date>`clock_timestamp()`.as('at')])
    .where('tenant_id', '=', tenantId)
    .where('provider_id', '=', providerId)
    .execute()
  for (const clientId of clientIds) {
    const eventId = newId()
    for (const webhook of webhooks) {
      const event: ProviderEvent = {
        id: eventId,
        event: 'device.deleted',
        device_id: clientId,
        occurred_at: webhook.at.toISOString(),
      }
      const delivery: Delivery = { webhookId: webhook.id, event }
      await addJob(tx, DELIVER_PROVIDER_EVENT, delivery, { receiver: webhookReceiver(webhook) })
    }
  }
}
