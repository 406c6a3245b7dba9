import { type Kysely, sql } from 'kysely'
import type { DeliveryState } from '../../database/tables/notifications.ts'
import type { Tables } from '../../database/tables.ts'
import { newId } from '../../lib/ids.ts'
import type { Channel, ChannelOfRecipient, Recipient } from '../recipients.ts'

export const DELIVER = 'deliver-notification'

/** Behind what others wait for: there may be ten thousand. */
const PRIORITY = 1

/**
 * One for each message and recipient, and a job for each that can be sent. Those that are there already are left as
 * they are, and so is what became of them.
 * @param tx a transaction
 */
export async function insertDeliveries(
  tx: Kysely<Tables>,
  messages: { id: string; channel: Channel }[],
  recipients: Recipient[],
): Promise<void> {
  const rows = recipients.flatMap(({ candidate, channels, refusal }) =>
    channels.flatMap((channel) =>
      messages
        .filter((message) => message.channel === channel.channel)
        .map((message) => ({
          id: newId(),
          messageId: message.id,
          userId: candidate.userId,
          address: channel.address,
          reason: refusal ?? channel.reason,
          state: refusal ? ('skipped' as const) : stateOf(channel),
        })),
    ),
  )
  if (rows.length === 0) return
  await sql`
    with inserted as (
      insert into notification_deliveries (id, message_id, user_id, address, state, reason)
      select * from unnest(
        ${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ messageId }) => messageId)}::uuid[],
        ${rows.map(({ userId }) => userId)}::uuid[], ${rows.map(({ address }) => address)}::text[],
        ${rows.map(({ state }) => state)}::text[], ${rows.map(({ reason }) => reason)}::text[]
      )
      on conflict (message_id, user_id) do nothing
      returning id, state
    )
    select graphile_worker.add_job(${DELIVER}, json_build_object('deliveryId', id), priority := ${PRIORITY}::int)
    from inserted where state = 'queued'`.execute(tx)
}

function stateOf({ reason }: ChannelOfRecipient): DeliveryState {
  if (reason === null) return 'queued'
  return reason === 'not_configured' ? 'not_configured' : 'failed'
}
