import type { Kysely } from 'kysely'
import { audited } from '../audit/audited.ts'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { changeChannels, noChannels } from './channels.ts'
import { type ChangeNotification, type CreateNotification, notificationShape } from './schema.ts'
import { getNotificationForUpdate, insertNotification, updateNotification } from './store.ts'
import { requireAlarms, requireContactGroups } from './require-viewable.ts'

const resourceType = 'notification'

/** @throws validation_error for what cannot be sent, and for ids that do not exist */
export const createNotification = (db: Kysely<Tables>, caller: Caller, body: CreateNotification) =>
  audited(db, { actor: caller, action: 'create', resourceType }, async (tx) => {
    const { displayName, description = null, broadcast, organizationId } = body
    const channels = changeChannels(noChannels, body.channels)
    const [alarmIds = [], contactGroupIds = []] = [alarmsIn(body), contactGroupsIn(body)]
    await requireAlarms(tx, caller, alarmIds)
    await requireContactGroups(tx, caller, contactGroupIds)
    const fields = { displayName, description, broadcast, channels, alarmIds, contactGroupIds }
    return { after: notificationShape(await insertNotification(tx, caller.tenantId, organizationId, fields)) }
  })

/**
 * Alarms and contact groups that the notification already names stay valid, whoever changes it.
 * @throws not_found; validation_error for what cannot be sent, and for ids that do not exist
 */
export const changeNotification = (
  db: Kysely<Tables>,
  caller: Caller,
  id: string,
  body: ChangeNotification,
) =>
  audited(db, { actor: caller, action: 'update', resourceType }, async (tx) => {
    const { tenantId } = caller
    const row = await getNotificationForUpdate(tx, tenantId, id)
    const { displayName, description, broadcast } = body
    const channels = body.channels && changeChannels(row.channels, body.channels)
    const [alarmIds, contactGroupIds] = [alarmsIn(body), contactGroupsIn(body)]
    await requireAlarms(tx, caller, without(alarmIds, row.alarm_ids))
    await requireContactGroups(tx, caller, without(contactGroupIds, row.contact_group_ids))
    const changes = { displayName, description, broadcast, channels, alarmIds, contactGroupIds }
    const before = notificationShape(row)
    const after = notificationShape(await updateNotification(tx, tenantId, row.id, changes))
    return { before, after }
  })

const alarmsIn = ({ trigger }: ChangeNotification) => trigger?.alarmTrigger.map((id) => id.toLowerCase())
const contactGroupsIn = ({ subscribers }: ChangeNotification) =>
  subscribers?.contactGroups.map(({ contactGroupId }) => contactGroupId.toLowerCase())

const without = (ids: string[] = [], known: string[]) => ids.filter((id) => !known.includes(id))
