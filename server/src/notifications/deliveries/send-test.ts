/** Sends the text of a notification to the caller, with made-up values. [docs/notifications#test-message] */
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { newId } from '../../lib/ids.ts'
import { hiddenAckUrl } from '../acknowledge/ack-token.ts'
import { internationalNumber } from '../phone-number.ts'
import type { Channel } from '../recipients.ts'
import type { NotificationRow } from '../store.ts'
import { senders } from './deliver.ts'
import { DEFAULT_SUBJECT, renderSubject, renderText } from './messages.ts'
import { SendError } from './send-error.ts'

const sample = { alarmName: 'Test alarm', assetName: 'Test asset', severity: '3', value: '42' }

/** Nothing is stored: the answer is all that is known of the message. */
export async function sendTest(
  ctx: Pick<Context, 'db' | 'config' | 'endpoints' | 'mailer' | 'outbound'>,
  caller: Caller,
  notification: NotificationRow,
  channel: Channel,
) {
  const { email, sms } = notification.channels
  const { from, template } = notification.channels[channel]
  const user = await ctx.db
    .selectFrom('users')
    .select(['email', 'phone_number'])
    .where('tenant_id', '=', caller.tenantId)
    .where('id', '=', caller.userId)
    .executeTakeFirstOrThrow()
  const address = channel === 'email' ? user.email : (internationalNumber(user.phone_number ?? '') ?? null)
  const message = {
    id: newId(),
    user_id: caller.userId,
    tenant_id: caller.tenantId,
    alarm_status_id: notification.id,
    address,
    channel,
    state: 'queued' as const,
    attempts: 0,
    disabled_at: null,
    sender: from,
    subject: channel === 'email' ? email.subject || DEFAULT_SUBJECT : '',
    template: channel === 'email' ? template : sms.template,
    template_values: { ...sample, time: new Date().toISOString() },
  }
  const ackUrl = hiddenAckUrl(ctx)
  const shown = {
    channel,
    address,
    subject: channel === 'email' ? renderSubject(message, ackUrl) : null,
    body: renderText(message, ackUrl),
  }
  if (address === null)
    return {
      ...shown,
      state: 'failed' as const,
      reason: channel === 'email' ? 'no_email_address' : 'no_phone_number',
      message: null,
    }
  try {
    const state = await senders[channel](ctx as Context, message, ackUrl)
    return { ...shown, state, reason: state === 'sent' ? null : state, message: null }
  } catch (error) {
    if (!(error instanceof SendError)) throw error
    return { ...shown, state: 'failed' as const, reason: error.reason, message: error.message }
  }
}
