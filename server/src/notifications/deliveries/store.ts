import type { Kysely } from 'kysely'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import type { PageRequest } from '../../http/page.ts'

/** Deliveries are deleted after this time. */
export const KEPT_DAYS = 90

export type DeliveryRow = Awaited<ReturnType<typeof listDeliveries>>[number]

export interface DeliveryFilter {
  notificationId: string
  alarmStatusId?: string | undefined
  deliveryId?: string | undefined
}

/** Newest first. Returns one row more than the page's limit where more follow. */
export const listDeliveries = (
  db: Kysely<Tables>,
  tenantId: string,
  { notificationId, alarmStatusId, deliveryId }: DeliveryFilter,
  page: PageRequest,
) =>
  pageAfter(
    db
      .selectFrom('notification_deliveries as d')
      .innerJoin('notification_messages as m', 'm.id', 'd.message_id')
      .innerJoin('users as u', 'u.id', 'd.user_id')
      .selectAll('d')
      .select(['m.tenant_id', 'm.alarm_status_id', 'm.alarm_id', 'm.asset_id', 'm.channel', 'm.created_at'])
      .select(['m.subject', 'm.template', 'm.template_values', 'u.display_name as user_name'])
      .where('m.tenant_id', '=', tenantId)
      .where('m.notification_id', '=', notificationId)
      .$if(deliveryId !== undefined, (q) => q.where('d.id', '=', deliveryId!))
      .$if(alarmStatusId !== undefined, (q) => q.where('m.alarm_status_id', '=', alarmStatusId!)),
    'd.id',
    page,
    'desc',
  )

export async function deletePastDeliveries(db: Kysely<Tables>): Promise<void> {
  const before = new Date(Date.now() - KEPT_DAYS * 24 * 3600 * 1000)
  await db.deleteFrom('notification_messages').where('created_at', '<', before).execute()
}

export type Delivery = NonNullable<Awaited<ReturnType<typeof findDelivery>>>

export const findDelivery = (db: Kysely<Tables>, id: string) =>
  db
    .selectFrom('notification_deliveries as d')
    .innerJoin('notification_messages as m', 'm.id', 'd.message_id')
    .innerJoin('users as u', 'u.id', 'd.user_id')
    .select(['d.id', 'd.user_id', 'd.address', 'd.state', 'd.attempts', 'u.disabled_at'])
    .select(['m.tenant_id', 'm.alarm_status_id', 'm.channel', 'm.sender'])
    .select(['m.subject', 'm.template', 'm.template_values'])
    .where('d.id', '=', id)
    .executeTakeFirst()
