/** Queues and creates the deliveries of notifications when an alarm becomes active. [docs/notifications#recipients] */
import { type Kysely, sql } from 'kysely'
import type { AlarmChange } from '../alarms/statuses/alarm-change.ts'
import type { Tables } from '../database/tables.ts'
import type { Runtime } from '../runtime.ts'
import { insertDeliveries } from './deliveries/insert.ts'
import { insertMessages } from './deliveries/messages.ts'
import { listRecipients } from './recipients.ts'
import { listNotificationsOfAlarm } from './store.ts'

export const NOTIFY = 'notify-of-activation'

/** Adds the jobs in the transaction of the alarm; an alarm that no notification names needs no job. */
export async function enqueueNotifications(tx: Kysely<Tables>, changes: AlarmChange[]): Promise<void> {
  const activations = changes.filter(({ isActivation }) => isActivation)
  if (activations.length === 0) return
  await sql`
    select graphile_worker.add_job(${NOTIFY}, json_build_object('tenantId', a.tenant_id, 'alarmStatusId', a.status_id))
    from unnest(
      ${activations.map(({ tenantId }) => tenantId)}::text[],
      ${activations.map(({ status }) => status.alarmStatusId)}::uuid[],
      ${activations.map(({ status }) => status.alarmId)}::uuid[]
    ) as a (tenant_id, status_id, alarm_id)
    where exists (select from notification_alarms n where n.alarm_id = a.alarm_id)`.execute(tx)
}

/** Payload of the job. */
export interface Activation {
  tenantId: string
  alarmStatusId: string
}

/**
 * A retry notifies nobody twice, since existing messages and deliveries stay as they are. A notification that fails
 * does not hold up the others.
 * @throws the first failure, after all notifications were handled, so that the job is retried
 */
export async function notifyOfActivation(
  { db, config }: Pick<Runtime, 'db' | 'config'>,
  { tenantId, alarmStatusId }: Activation,
): Promise<void> {
  const status = await findStatus(db, tenantId, alarmStatusId)
  if (!status) return
  const cause = { alarmId: status.alarm_id, assetId: status.asset_id }
  const failures: unknown[] = []
  for (const notification of await listNotificationsOfAlarm(db, tenantId, status.alarm_id)) {
    try {
      const recipients = await listRecipients(db, config, notification, cause)
      // A broadcast goes to eligible users only; for members of contact groups, the reason for a refusal is recorded as
      // well.
      const told = recipients.filter(({ refusal, candidate }) => refusal === null || candidate.inContactGroup)
      await db.transaction().execute(async (tx) => {
        const messages = await insertMessages(tx, notification, status)
        await insertDeliveries(tx, { tenantId, messages, recipients: told })
      })
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

const findStatus = (db: Kysely<Tables>, tenantId: string, id: string) =>
  db
    .selectFrom('alarm_statuses')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
