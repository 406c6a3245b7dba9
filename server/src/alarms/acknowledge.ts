import { sql } from 'kysely'
import type { Context } from '../context.ts'

/**
 * Acknowledging twice changes nothing. [contract §7]
 * @param by shown as `acknowledgedBy`
 * @returns false where there is no such status
 */
export async function acknowledgeAlarm(
  { db }: Pick<Context, 'db'>,
  tenantId: string,
  alarmStatusId: string,
  by: string,
): Promise<boolean> {
  const { rows } = await sql`
    update alarm_statuses set
      state = case state when 'active_unacknowledged' then 'active_acknowledged'
        when 'inactive_unacknowledged' then 'cleared' else state end,
      cleared_at = case state when 'inactive_unacknowledged' then now() else cleared_at end,
      acknowledged_at = coalesce(acknowledged_at, now()),
      acknowledged_by = coalesce(acknowledged_by, ${by})
    where tenant_id = ${tenantId} and id = ${alarmStatusId} returning id`.execute(db)
  return rows.length > 0
}
