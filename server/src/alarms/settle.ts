/** What an alarm that is changed or deleted leaves open is cleared: nobody can acknowledge what is no more. */
import { type Kysely, sql, type SqlBool } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { AlarmChange } from './change.ts'
import { lockOpenStatuses, moveStatuses } from './statuses/move.ts'

export interface Settling {
  alarmId: string
  reason: 'alarm_changed' | 'alarm_deleted'
  /** Assets that it goes on watching as before; none where absent. */
  except?: string[]
}

/** @param tx that has locked the alarm */
export async function settleAlarm(
  tx: Kysely<Tables>,
  tenantId: string,
  { alarmId, reason, except = [] }: Settling,
): Promise<AlarmChange[]> {
  const which = sql<SqlBool>`s.alarm_id = ${alarmId} and s.asset_id <> all(${except}::text[])`
  const changes = await moveStatuses(tx, await lockOpenStatuses(tx, tenantId, which), {
    trigger: 'settle',
    reason,
  })
  await sql`delete from alarm_holds
    where tenant_id = ${tenantId} and alarm_id = ${alarmId} and asset_id <> all(${except}::text[])`.execute(
    tx,
  )
  return changes
}
