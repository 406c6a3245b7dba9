import type { Kysely } from 'kysely'
import { recordAudit } from '../audit/record.ts'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { changeChannels, noChannels } from './channels.ts'
import { type ChangeNotification, type CreateNotification, notificationShape } from './schema.ts'
import { getNotificationForUpdate, insertNotification, updateNotification } from './store.ts'
import { requireAlarms, requireContactGroups } from './require-viewable.ts'

const resourceType = 'notification'

/** @throws validation_error for what could not be sent, and for what is not there */
export const createNotification = (db: Kysely<Tables>, caller: Caller, body: CreateNotification) =>
  db.transaction().execute(async (tx) => {
    const { displayName, description = null, broadcast, organizationId } = body
    const channels = changeChannels(noChannels, body.channels)
    const [alarmIds = [], contactGroupIds = []] = [alarmsIn(body), contactGroupsIn(body)]
    await requireAlarms(tx, caller, alarmIds)
    await requireContactGroups(tx, caller, contactGroupIds)
    const fields = { displayName, description, broadcast, channels, alarmIds, contactGroupIds }
    const after = notificationShape(await insertNotification(tx, caller.tenantId, organizationId, fields))
    await recordAudit(tx, caller, { action: 'create', resourceType, resourceId: after.id, after })
    return after
  })

/**
 * What it named before it may go on naming, whoever changes it.
 * @throws not_found; validation_error for what could not be sent, and for what is not there
 */
export const changeNotification = (
  db: Kysely<Tables>,
  caller: Caller,
  id: string,
  body: ChangeNotification,
) =>
  db.transaction().execute(async (tx) => {
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
    await recordAudit(tx, caller, { action: 'update', resourceType, resourceId: row.id, before, after })
    return after
  })

const alarmsIn = ({ trigger }: ChangeNotification) => trigger?.alarmTrigger.map((id) => id.toLowerCase())
const contactGroupsIn = ({ subscribers }: ChangeNotification) =>
  subscribers?.contactGroups.map(({ contactGroupId }) => contactGroupId.toLowerCase())

const without = (ids: string[] = [], known: string[]) => ids.filter((id) => !known.includes(id))
