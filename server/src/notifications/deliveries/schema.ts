import Type from 'typebox'
import type { Context } from '../../context.ts'
import type { Circuit } from '../../jobs/circuits.ts'
import { receiverName } from '../../jobs/receiver.ts'
import { Nullable, Timestamp, formatTimestamp, Uuid } from '../../http/shapes.ts'
import { issueAckUrl, hiddenAckUrl } from '../acknowledge/ack-token.ts'
import { reasons, type Recipient } from '../recipients.ts'
import { channelReceiver } from './insert.ts'
import { renderSubject, renderText } from './messages.ts'
import type { DeliveryRow } from './store.ts'

const ChannelName = Type.Enum(['email', 'sms'])

export const DeliveryRecord = Type.Object(
  {
    id: Uuid,
    alarmStatusId: Uuid,
    alarmId: Uuid,
    assetId: Type.String(),
    userId: Uuid,
    userName: Type.String(),
    channel: ChannelName,
    address: Nullable(Type.String()),
    state: Type.Enum(['queued', 'sent', 'failed', 'skipped', 'not_configured']),
    reason: Nullable(
      Type.String({ description: 'The error code; also of the last try while the delivery is queued' }),
    ),
    message: Nullable(Type.String({ description: 'The error of the mail server or the gateway' })),
    attempts: Type.Integer(),
    createdAt: Timestamp,
    lastAttemptAt: Nullable(Timestamp),
    sentAt: Nullable(Timestamp),
    pausedUntil: Nullable({
      ...Timestamp,
      description:
        'The mail server or the gateway does not answer: nothing is sent on this channel before this time',
    }),
    subject: Nullable(Type.String()),
    body: Type.String({ description: 'As text. Only the recipient sees the acknowledge link' }),
  },
  { title: 'Delivery' },
)

/** @param circuits circuits of the channels */
export const deliveryShape =
  (ctx: Context, callerId: string, circuits: Map<string, Circuit>) => (row: DeliveryRow) => {
    const { tenant_id: tenantId, alarm_status_id: alarmStatusId, user_id: userId } = row
    const circuit =
      row.state === 'queued' ? circuits.get(receiverName(channelReceiver(row.channel, tenantId))) : undefined
    const ackUrl =
      userId === callerId ? issueAckUrl(ctx, { tenantId, alarmStatusId, userId }) : hiddenAckUrl(ctx)
    return {
      id: row.id,
      alarmStatusId,
      alarmId: row.alarm_id,
      assetId: row.asset_id,
      userId,
      userName: row.user_name,
      channel: row.channel,
      address: row.address,
      state: row.state,
      reason: row.reason,
      message: row.message ?? circuit?.reason ?? null,
      attempts: row.attempts,
      createdAt: row.created_at.toISOString(),
      lastAttemptAt: formatTimestamp(row.last_attempt_at),
      sentAt: formatTimestamp(row.sent_at),
      pausedUntil: formatTimestamp(circuit?.retryAt ?? null),
      subject: row.channel === 'email' ? renderSubject(row, ackUrl) : null,
      body: renderText(row, ackUrl),
    }
  }

export const TestMessage = Type.Object({ channel: ChannelName })

export const TestMessageRecord = Type.Object(
  {
    channel: ChannelName,
    address: Nullable(Type.String({ description: "The caller's own" })),
    state: Type.Enum(['sent', 'failed', 'not_configured']),
    reason: Nullable(Type.String({ description: 'The error code' })),
    message: Nullable(Type.String({ description: 'The error of the mail server or the gateway' })),
    subject: Nullable(Type.String()),
    body: Type.String({ description: 'As text' }),
  },
  { title: 'TestMessage' },
)

const ReasonName = Type.Enum([...reasons])

export const RecipientRecord = Type.Object(
  {
    userId: Uuid,
    displayName: Type.String(),
    receives: Type.Boolean(),
    reason: Nullable(ReasonName),
    channels: Type.Array(
      Type.Object({
        channel: ChannelName,
        address: Nullable(Type.String()),
        receives: Type.Boolean(),
        reason: Nullable(ReasonName),
      }),
    ),
  },
  { title: 'Recipient' },
)

export const recipientShape = ({ candidate, refusal, channels }: Recipient) => {
  const receives = refusal === null && channels.some(({ reason }) => reason === null)
  return {
    userId: candidate.userId,
    displayName: candidate.displayName,
    receives,
    reason: receives ? null : (refusal ?? channels[0]!.reason),
    channels: channels.map(({ channel, address, reason }) => ({
      channel,
      address,
      receives: (refusal ?? reason) === null,
      reason: refusal ?? reason,
    })),
  }
}
