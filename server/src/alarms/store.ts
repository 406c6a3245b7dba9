import type { Expression, Kysely, SqlBool } from 'kysely'
import { deleteObjectRelations, insertParent } from '../access/relations/store.ts'
import { pageAfter } from '../database/page.ts'
import type { AlarmSignal, Tables } from '../database/tables.ts'
import { orNotFound } from '../http/errors.ts'
import type { AlarmRow } from '../database/tables/alarms.ts'
import type { PageRequest } from '../http/page.ts'
import { newId } from '../lib/ids.ts'
import type { Alarm } from './schema.ts'

const selectAlarms = (db: Kysely<Tables>, tenantId: string) =>
  db.selectFrom('alarms as a').selectAll('a').where('a.tenant_id', '=', tenantId)

/** @throws not_found */
export async function getAlarm(db: Kysely<Tables>, tenantId: string, id: string): Promise<AlarmRow> {
  return orNotFound(await selectAlarms(db, tenantId).where('a.id', '=', id).executeTakeFirst(), 'alarm', id)
}

/** Also locks the alarm until the transaction ends, so that no sample activates it meanwhile. */
export async function getAlarmForUpdate(tx: Kysely<Tables>, tenantId: string, id: string): Promise<AlarmRow> {
  return orNotFound(
    await selectAlarms(tx, tenantId).where('a.id', '=', id).forUpdate('a').executeTakeFirst(),
    'alarm',
    id,
  )
}

/** Returns one row more than the page's limit where more follow. */
export const listAlarms = (
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  page: PageRequest,
): Promise<AlarmRow[]> => pageAfter(selectAlarms(db, tenantId).where(visible), 'a.id', page)

const alarmColumns = (alarm: Omit<Alarm, 'id' | 'organizationId'>, signals: AlarmSignal[]) => ({
  name: alarm.name,
  description: alarm.description,
  type: alarm.type,
  entity_type_id: alarm.entityTypeId,
  entity_ids: alarm.entityIds,
  condition: alarm.condition,
  clear_condition: alarm.clearCondition,
  signals: JSON.stringify(signals),
  severity: alarm.severity,
  for_seconds: alarm.forSeconds,
  no_data_seconds: alarm.noDataSeconds,
  max_lateness_seconds: alarm.maxLatenessSeconds,
})

/** @param tx a transaction; the organization must belong to the tenant */
export async function insertAlarm(
  tx: Kysely<Tables>,
  tenantId: string,
  alarm: Omit<Alarm, 'id'>,
  signals: AlarmSignal[],
): Promise<AlarmRow> {
  const row = await tx
    .insertInto('alarms')
    .values({
      id: newId(),
      tenant_id: tenantId,
      organization_id: alarm.organizationId,
      ...alarmColumns(alarm, signals),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await insertParent(tx, 'alarm', row)
  return row
}

/** @param revision a new number where the alarm watches something else than before */
export const updateAlarm = (
  tx: Kysely<Tables>,
  tenantId: string,
  { alarm, signals, revision }: { alarm: Alarm; signals: AlarmSignal[]; revision: number },
): Promise<AlarmRow> =>
  tx
    .updateTable('alarms')
    .set({ ...alarmColumns(alarm, signals), revision, updated_at: new Date() })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', alarm.id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Deletes the alarm and its relations; its history stays. */
export async function deleteAlarm(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('alarms').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteObjectRelations(tx, tenantId, 'alarm', id)
}
