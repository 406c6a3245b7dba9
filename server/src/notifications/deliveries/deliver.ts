/** Sends one message to one recipient. A failed job is retried with growing delays. */
import { type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { DeliveryState } from '../../database/tables/notifications.ts'
import type { Tables } from '../../database/tables.ts'
import type { SendOutcome } from '../../jobs/receiver.ts'
import { issueAckUrl } from '../acknowledge/ack-token.ts'
import type { Channel } from '../recipients.ts'
import { sendEmail } from './email.ts'
import { SendError } from './send-error.ts'
import { sendSms } from './sms.ts'
import { findDelivery } from './store.ts'

/** With the back-off of the job queue, the last attempt is a bit more than a day after the first. */
export const MAX_ATTEMPTS = 14

export const senders = { email: sendEmail, sms: sendSms } satisfies Record<Channel, unknown>

/**
 * A sent message is recorded right afterwards: after a crash in between it is sent again, with the same message id.
 * @throws SendError when another attempt may succeed
 */
export async function deliver(ctx: Context, deliveryId: string): Promise<SendOutcome> {
  const delivery = await findDelivery(ctx.db, deliveryId)
  if (delivery?.state !== 'queued') return 'not_asked'
  if (delivery.disabled_at) {
    await record(ctx.db, deliveryId, { state: 'skipped', reason: 'user_disabled' })
    return 'not_asked'
  }
  try {
    const ackUrl = issueAckUrl(ctx, {
      tenantId: delivery.tenant_id,
      alarmStatusId: delivery.alarm_status_id,
      userId: delivery.user_id,
    })
    const state = await senders[delivery.channel](ctx, delivery, ackUrl)
    await record(ctx.db, deliveryId, { state, reason: state === 'sent' ? null : state })
    return state === 'sent' ? 'answered' : 'not_asked'
  } catch (error) {
    if (!(error instanceof SendError)) throw error
    const isLast = !error.isWorthAnotherTry || delivery.attempts + 1 >= MAX_ATTEMPTS
    const { reason, message } = error
    await record(ctx.db, deliveryId, { state: isLast ? 'failed' : 'queued', reason, message })
    if (!isLast) throw error
    return error.isAnswered ? 'answered' : 'not_asked'
  }
}

interface Outcome {
  state: DeliveryState
  reason: string | null
  message?: string
}

async function record(db: Kysely<Tables>, id: string, { state, reason, message }: Outcome) {
  const isAttempt = state !== 'skipped' && state !== 'not_configured'
  await db
    .updateTable('notification_deliveries')
    .set({
      state,
      reason,
      message: message ?? null,
      attempts: sql`attempts + ${isAttempt ? 1 : 0}`,
      last_attempt_at: isAttempt ? sql`now()` : undefined,
      sent_at: state === 'sent' ? sql`now()` : null,
    })
    .where('id', '=', id)
    .execute()
}
