import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { newId } from '../../../lib/ids.ts'
import type { CertificateEvent } from '../../../providers/webhooks/events.ts'
import { addDeliveries } from '../../../providers/webhooks/enqueue.ts'
import type { ListedCertificate } from '../list/store.ts'

/**
 * Notifies the webhooks that subscribed to the event, of the providers whose brokers the devices connect to. An event
 * keeps its id over all retries.
 * @param tx a transaction
 */
export async function enqueueCertificateEvents(
  tx: Kysely<Tables>,
  tenantId: string,
  event: CertificateEvent['event'],
  certificates: ListedCertificate[],
): Promise<void> {
  const deviceIds = [...new Set(certificates.map((certificate) => certificate.device_id))]
  const webhooks = await tx
    .selectFrom('provider_webhooks as webhook')
    .innerJoin('provider_clients as client', (join) =>
      join
        .onRef('client.tenant_id', '=', 'webhook.tenant_id')
        .onRef('client.provider_id', '=', 'webhook.provider_id'),
    )
    .select(['webhook.id', 'webhook.tenant_id', 'client.id as device_id'])
    .select(sql<Date>`clock_timestamp()`.as('at'))
    .where('webhook.tenant_id', '=', tenantId)
    .where(sql<boolean>`${event} = any(webhook.events)`)
    .where('client.on_broker', '=', true)
    .where('client.id', '=', (eb) => eb.fn.any(eb.val(deviceIds)))
    .execute()
  if (webhooks.length === 0) return
  for (const certificate of certificates) {
    const subscribed = webhooks.filter(({ device_id }) => device_id === certificate.device_id)
    if (subscribed.length === 0) continue
    await addDeliveries(tx, subscribed, {
      id: newId(),
      event,
      device_id: certificate.device_id,
      occurred_at: subscribed[0]!.at.toISOString(),
      certificate: {
        id: certificate.id,
        enrollment_group_id: certificate.enrollment_group_id,
        serial_number: certificate.serial_number,
        fingerprint: certificate.fingerprint.toString('hex'),
        not_after: certificate.not_after.toISOString(),
        revocation_reason: certificate.revocation_reason,
      },
    })
  }
}
