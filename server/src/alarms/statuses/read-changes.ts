import { type Kysely, sql } from 'kysely'
import type { AlarmStatusRow } from '../../database/tables/alarms.ts'
import type { Tables } from '../../database/tables.ts'
import type { AlarmChange } from './alarm-change.ts'
import { alarmChange } from './shape.ts'

/** Reads the current statuses; they may include later changes. */
export async function readChanges(
  db: Kysely<Tables>,
  tenantId: string,
  statusIds: string[],
): Promise<AlarmChange[]> {
  const rows: AlarmStatusRow[] = await db
    .selectFrom('alarm_statuses')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', sql<string>`any(${statusIds}::uuid[])`)
    .orderBy('id')
    .execute()
  return rows.map((row) => alarmChange(row))
}
