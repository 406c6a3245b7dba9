import { type Expression, type Kysely, sql, type SqlBool } from 'kysely'
import { deleteObjectRelations, insertParent } from '../access/relations/store.ts'
import type { NotificationChannels } from '../database/tables/notifications.ts'
import { pageAfter } from '../database/page.ts'
import type { Tables } from '../database/tables.ts'
import { orNotFound } from '../http/errors.ts'
import type { PageRequest } from '../http/page.ts'
import { newId } from '../lib/ids.ts'
import { linkedIds, notificationAlarms, notificationContactGroups, updateLinks } from './linked-ids.ts'

export type NotificationRow = Awaited<ReturnType<typeof getNotification>>

/** Fields of a notification that can change; undefined fields stay as they are. */
export interface NotificationChanges {
  displayName?: string
  description?: string | null
  broadcast?: boolean
  channels?: NotificationChannels
  alarmIds?: string[]
  contactGroupIds?: string[]
}

const selectNotifications = (db: Kysely<Tables>, tenantId: string) =>
  db
    .selectFrom('notifications as n')
    .selectAll('n')
    .select([
      linkedIds(notificationAlarms, 'n.id').as('alarm_ids'),
      linkedIds(notificationContactGroups, 'n.id').as('contact_group_ids'),
    ])
    .where('n.tenant_id', '=', tenantId)

/** @throws not_found */
export async function getNotification(db: Kysely<Tables>, tenantId: string, id: string) {
  return orNotFound(
    await selectNotifications(db, tenantId).where('n.id', '=', id).executeTakeFirst(),
    'notification',
    id,
  )
}

/**
 * Also locks the notification until the transaction ends. It is read after locking, because the ids that it names are
 * in other tables.
 */
export async function getNotificationForUpdate(tx: Kysely<Tables>, tenantId: string, id: string) {
  await tx
    .selectFrom('notifications')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .execute()
  return getNotification(tx, tenantId, id)
}

/** Returns one row more than the page's limit where more follow. */
export const listNotifications = (
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  page: PageRequest,
): Promise<NotificationRow[]> => pageAfter(selectNotifications(db, tenantId).where(visible), 'n.id', page)

/** Whether the alarm triggers `notifications as n`; true where no alarm is named. */
export const isTriggeredBy = (alarmId: string | undefined) =>
  alarmId === undefined
    ? sql<SqlBool>`true`
    : sql<SqlBool>`n.id in (select notification_id from notification_alarms where alarm_id = ${alarmId})`

/** Lists notifications that the alarm triggers. */
export const listNotificationsOfAlarm = (
  db: Kysely<Tables>,
  tenantId: string,
  alarmId: string,
): Promise<NotificationRow[]> =>
  selectNotifications(db, tenantId)
    .innerJoin('notification_alarms as a', 'a.notification_id', 'n.id')
    .where('a.alarm_id', '=', alarmId)
    .orderBy('n.id')
    .execute()

/** @param tx a transaction; the organization, the alarms and the groups must belong to the tenant */
export async function insertNotification(
  tx: Kysely<Tables>,
  tenantId: string,
  organizationId: string,
  fields: Required<NotificationChanges>,
): Promise<NotificationRow> {
  const id = newId()
  const { organization_id } = await tx
    .insertInto('notifications')
    .values({
      id,
      tenant_id: tenantId,
      organization_id: organizationId,
      display_name: fields.displayName,
      description: fields.description,
      broadcast: fields.broadcast,
      channels: JSON.stringify(fields.channels),
      workflow_id: newId(),
      trigger_identifier: `notification-${id}`,
    })
    .returning('organization_id')
    .executeTakeFirstOrThrow()
  await insertParent(tx, 'notification', { tenant_id: tenantId, organization_id, id })
  await updateNotificationLinks(tx, id, fields)
  return getNotification(tx, tenantId, id)
}

/** @param tx a transaction; the alarms and the groups must belong to the tenant */
export async function updateNotification(
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
  changes: NotificationChanges,
): Promise<NotificationRow> {
  const columns = {
    display_name: changes.displayName,
    description: changes.description,
    broadcast: changes.broadcast,
    channels: changes.channels && JSON.stringify(changes.channels),
  }
  if (Object.values(columns).some((value) => value !== undefined))
    await tx
      .updateTable('notifications')
      .set(columns)
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .execute()
  await updateNotificationLinks(tx, id, changes)
  return getNotification(tx, tenantId, id)
}

async function updateNotificationLinks(
  tx: Kysely<Tables>,
  id: string,
  { alarmIds, contactGroupIds }: NotificationChanges,
) {
  if (alarmIds) await updateLinks(tx, notificationAlarms, id, alarmIds)
  if (contactGroupIds) await updateLinks(tx, notificationContactGroups, id, contactGroupIds)
}

/** Deletes the notification, its relations and its deliveries. */
export async function deleteNotification(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('notifications').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteObjectRelations(tx, tenantId, 'notification', id)
}
