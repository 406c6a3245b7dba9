import { type Kysely, sql } from 'kysely'
import type { DeliveryState } from '../../database/tables/notifications.ts'
import type { Tables } from '../../database/tables.ts'
import { type Receiver, receiverFlags, receiverName } from '../../jobs/receiver.ts'
import { newId } from '../../lib/ids.ts'
import type { Channel, ChannelOfRecipient, Recipient } from '../recipients.ts'

export const DELIVER = 'deliver-notification'

interface NewDeliveries {
  tenantId: string
  messages: { id: string; channel: Channel }[]
  recipients: Recipient[]
}

/** Lower priority than other jobs, since one alarm may cause ten thousand deliveries. */
const PRIORITY = 1

/**
 * Inserts a delivery for each message and recipient, and a job for each delivery that can be sent. Existing deliveries
 * and their states stay as they are.
 * @param tx a transaction
 */
export async function insertDeliveries(
  tx: Kysely<Tables>,
  { tenantId, messages, recipients }: NewDeliveries,
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
          state: refusal ? ('skipped' as const) : initialState(channel),
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
      returning id, message_id, state
    )
    , receivers as materialized (
      select r.channel, receiver_paused_until(r.name) as run_at, r.flags
      from (values
        ${sql.join((['email', 'sms'] as const).map((channel) => receiverValues(channelReceiver(channel, tenantId))))}
      ) as r (channel, name, flags)
    )
    , specs as (
      select array_agg((${DELIVER}, json_build_object('deliveryId', i.id), null, r.run_at, null, null, ${PRIORITY}::int,
        r.flags)::graphile_worker.job_spec) as jobs
      from inserted i
      join notification_messages m on m.id = i.message_id
      join receivers r on r.channel = m.channel
      where i.state = 'queued'
      having count(*) > 0
    )
    -- A single call adds all jobs: with separate calls, each would search the jobs added before.
    select count(*) from specs cross join lateral graphile_worker.add_jobs(specs.jobs)`.execute(tx)
}

const receiverValues = (receiver: Receiver) =>
  sql`(${receiver.kind}::text, ${receiverName(receiver)}::text, ${receiverFlags(receiver)}::text[])`

/** All tenants share the installation's mail server and SMS gateway. */
export const channelReceiver = (channel: Channel, tenantId: string): Receiver => ({
  kind: channel,
  id: 'configured',
  tenantId,
})

function initialState({ reason }: ChannelOfRecipient): DeliveryState {
  if (reason === null) return 'queued'
  return reason === 'not_configured' ? 'not_configured' : 'failed'
}
