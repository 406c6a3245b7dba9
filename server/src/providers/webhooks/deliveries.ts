/**
 * Deliveries to a webhook that have not been accepted. They are jobs, which are deleted once the webhook has accepted
 * them. [docs/providers#deliveries]
 */
import { type Kysely, sql } from 'kysely'
import Type, { type Static } from 'typebox'
import type { Tables } from '../../database/tables.ts'
import { ApiError, orNotFound } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'
import { formatTimestamp, Nullable, Timestamp, Uuid } from '../../http/shapes.ts'
import { type JobState, jobState } from '../../jobs/job-records.ts'
import { deliveryKey } from './delivery-key.ts'
import { eventNames, type ProviderEvent } from './events.ts'

export const WebhookDeliveryRecord = Type.Object(
  {
    id: { ...Uuid, description: 'The id of the event in the body of the request' },
    event: Type.Enum([...eventNames], { description: 'The event that it reports' }),
    deviceId: Type.String({ description: 'The device that the event is about' }),
    occurredAt: { ...Timestamp, description: 'When the event happened' },
    state: Type.Enum(['waiting', 'sending', 'failed'], {
      description: '`waiting`: it is sent at `nextTryAt`; `failed`: every try has failed, and none is left',
    }),
    attempts: Type.Integer({ description: 'Tries that were begun' }),
    maxAttempts: Type.Integer({ description: 'Tries until it is given up' }),
    lastError: Nullable(Type.String({ description: 'Why the last try failed' })),
    nextTryAt: { ...Nullable(Timestamp), description: 'When it is sent next; null unless it waits' },
    createdAt: Timestamp,
  },
  { title: 'WebhookDelivery' },
)

/** Before every id, and after. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

interface DeliveryRow {
  /** The id of the event: ids of jobs would show how many jobs the installation has. */
  id: string
  job_id: string
  event: ProviderEvent
  state: JobState
  attempts: number
  max_attempts: number
  last_error: string | null
  created_at: Date
  run_at: Date
}

const selectDeliveries = sql`
  select j.payload -> 'event' ->> 'id' as id, j.id::text as job_id, j.payload -> 'event' as event,
    ${jobState} as state, j.attempts::int as attempts, j.max_attempts::int as max_attempts, j.last_error,
    j.created_at, j.run_at
  from graphile_worker._private_jobs j`

/** @returns the oldest first, and one row more than the limit if there are more */
export async function listWebhookDeliveries(
  db: Kysely<Tables>,
  webhookId: string,
  { limit, after = FIRST_ID }: PageRequest,
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`${selectDeliveries}
    where j.key > ${deliveryKey(webhookId, after)} and j.key <= ${deliveryKey(webhookId, LAST_ID)}
    order by j.key limit ${limit + 1}`.execute(db)
  return rows
}

/**
 * Makes a delivery due at once, with all of its tries.
 *
 * @throws not_found if the webhook has accepted it; conflict while it is being sent
 */
export async function retryWebhookDelivery(
  tx: Kysely<Tables>,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryRow> {
  const key = deliveryKey(webhookId, deliveryId)
  const find = async () => {
    const { rows } = await sql<DeliveryRow>`${selectDeliveries} where j.key = ${key}`.execute(tx)
    return orNotFound(rows[0], 'delivery', deliveryId)
  }
  const { job_id } = await find()
  const { rows } = await sql`
    select id from graphile_worker.reschedule_jobs(array[${job_id}::bigint], run_at := now(), attempts := 0)`.execute(
    tx,
  )
  if (rows.length === 0)
    throw new ApiError('conflict', 'The delivery is being sent. Look again in a moment.', {
      state: 'sending',
    })
  return find()
}

export const webhookDeliveryShape = (row: DeliveryRow): Static<typeof WebhookDeliveryRecord> => ({
  id: row.id,
  event: row.event.event,
  deviceId: row.event.device_id,
  occurredAt: row.event.occurred_at,
  state: row.state === 'running' ? 'sending' : row.state,
  attempts: row.attempts,
  maxAttempts: row.max_attempts,
  lastError: row.last_error,
  nextTryAt: row.state === 'waiting' ? formatTimestamp(row.run_at) : null,
  createdAt: row.created_at.toISOString(),
})
