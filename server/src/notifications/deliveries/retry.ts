/** Sends a delivery again that did not arrive. [docs/notifications#deliveries] */
import { sql } from 'kysely'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError, orNotFound } from '../../http/errors.ts'
import { addJob } from '../../jobs/add-job.ts'
import { listRecipients } from '../recipients.ts'
import { getNotification } from '../store.ts'
import { channelReceiver, DELIVER } from './insert.ts'
import { type DeliveryRow, listDeliveries } from './store.ts'

interface Place {
  notificationId: string
  deliveryId: string
}

/** @throws not_found; conflict if the delivery is on its way or has arrived, or if the user may not get it now */
export async function retryDelivery(
  ctx: Pick<Context, 'db' | 'config'>,
  caller: Caller,
  { notificationId, deliveryId }: Place,
): Promise<DeliveryRow> {
  const { tenantId } = caller
  const which = { notificationId, deliveryId }
  const find = async () => {
    const [row] = await listDeliveries(ctx.db, tenantId, which, { limit: 1, after: undefined })
    return orNotFound(row, 'delivery', deliveryId)
  }
  const delivery = await find()
  const { channel } = delivery
  const address = await findAddress(ctx, caller, delivery, notificationId)
  await ctx.db.transaction().execute(async (tx) => {
    const { rows } = await sql`
      update notification_deliveries set state = 'queued', reason = null, message = null, attempts = 0, address = ${address}
      where id = ${deliveryId} and state in ('failed', 'skipped', 'not_configured') returning id`.execute(tx)
    if (rows.length === 0)
      throw new ApiError(
        'conflict',
        `The delivery is ${delivery.state}: only one that did not arrive is sent again.`,
        {
          state: delivery.state,
        },
      )
    await addJob(tx, DELIVER, { deliveryId }, { receiver: channelReceiver(channel, tenantId) })
    await recordAudit(tx, caller, {
      action: 'retry',
      resourceType: 'notification_delivery',
      resourceId: deliveryId,
      after: { notificationId, channel, userId: delivery.user_id },
    })
  })
  return find()
}

/** The present address of the recipient, whose access may have changed since the first try. @throws conflict */
async function findAddress(
  { db, config }: Pick<Context, 'db' | 'config'>,
  { tenantId }: Caller,
  delivery: DeliveryRow,
  notificationId: string,
): Promise<string> {
  const notification = await getNotification(db, tenantId, notificationId)
  const cause = { alarmId: delivery.alarm_id, assetId: delivery.asset_id }
  const recipients = await listRecipients(db, config, notification, cause)
  const recipient = recipients.find(({ candidate }) => candidate.userId === delivery.user_id)
  const channel = recipient?.channels.find((one) => one.channel === delivery.channel)
  const reason =
    recipient === undefined
      ? 'not_subscribed'
      : (recipient.refusal ?? (channel === undefined ? 'no_active_channel' : channel.reason))
  if (reason !== null || !channel?.address)
    throw new ApiError('conflict', `The user cannot get it now: ${reason}.`, { reason })
  return channel.address
}
