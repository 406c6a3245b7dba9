import type { Kysely } from 'kysely'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import { orNotFound } from '../../http/errors.ts'
import type { WebhookRow } from '../../database/tables/providers.ts'
import type { PageRequest } from '../../http/page.ts'
import { newId } from '../../lib/ids.ts'
import { type Sealer, sealedPlace } from '../../lib/seal.ts'

import type { ProviderEvent } from './events.ts'

interface WebhookOwner {
  tenantId: string
  providerId: string
}

const secretPlace = (id: string) => sealedPlace('provider_webhooks', 'secret_sealed', id)

export const webhookSecret = (
  sealer: Sealer,
  { id, secret_sealed }: Pick<WebhookRow, 'id' | 'secret_sealed'>,
) => sealer.open(secret_sealed, secretPlace(id))

export function insertWebhook(
  tx: Kysely<Tables>,
  sealer: Sealer,
  { tenantId, providerId }: WebhookOwner,
  webhook: { url: string; secret: string; events?: ProviderEvent['event'][]; routingTargetId?: string },
): Promise<WebhookRow> {
  const id = newId()
  return tx
    .insertInto('provider_webhooks')
    .values({
      id,
      tenant_id: tenantId,
      provider_id: providerId,
      url: webhook.url,
      ...(webhook.events && { events: webhook.events }),
      routing_target_id: webhook.routingTargetId ?? null,
      secret_sealed: sealer.seal(webhook.secret, secretPlace(id)),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Returns one row more than the page's limit if there are more. */
export const listWebhooks = (
  db: Kysely<Tables>,
  { tenantId, providerId }: WebhookOwner,
  page: PageRequest,
): Promise<WebhookRow[]> =>
  pageAfter(
    db
      .selectFrom('provider_webhooks')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('provider_id', '=', providerId),
    'id',
    page,
  )

/** @throws not_found */
export const getWebhook = async (
  db: Kysely<Tables>,
  { tenantId, providerId }: WebhookOwner,
  webhookId: string,
): Promise<WebhookRow> =>
  orNotFound(
    await db
      .selectFrom('provider_webhooks')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('provider_id', '=', providerId)
      .where('id', '=', webhookId)
      .executeTakeFirst(),
    'webhook',
    webhookId,
  )

/** @returns the deleted webhook @throws not_found */
export async function deleteWebhook(
  tx: Kysely<Tables>,
  { tenantId, providerId }: WebhookOwner,
  webhookId: string,
): Promise<WebhookRow> {
  return orNotFound(
    await tx
      .deleteFrom('provider_webhooks')
      .where('tenant_id', '=', tenantId)
      .where('provider_id', '=', providerId)
      .where('id', '=', webhookId)
      .returningAll()
      .executeTakeFirst(),
    'webhook',
    webhookId,
  )
}
