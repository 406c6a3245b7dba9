import { sql } from 'kysely'
import { type Actor, recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { changeStatuses } from './change-statuses.ts'
import { lockOpenStatuses, moveStatuses } from './move.ts'
import { findStatus } from './store.ts'

interface Acknowledgement {
  tenantId: string
  alarmStatusId: string
  /** Shown as `acknowledgedBy`. */
  by: string
  /** For the audit log; where absent, `by`. */
  actor?: Actor
}

/**
 * Acknowledging twice changes nothing; of two people at once the first has done it. [docs/alarms#acknowledging]
 * @returns false where there is no such status
 */
export async function acknowledgeAlarm(
  { db, alarms }: Pick<Context, 'db' | 'alarms'>,
  { tenantId, alarmStatusId, by, actor = { tenantId, system: by } }: Acknowledgement,
): Promise<boolean> {
  if (!(await findStatus(db, tenantId, alarmStatusId))) return false
  await changeStatuses(alarms, async (tx) => {
    const rows = await lockOpenStatuses(tx, tenantId, sql`s.id = ${alarmStatusId}`)
    const changes = await moveStatuses(tx, rows, { event: 'acknowledge', by })
    for (const { status } of changes)
      await recordAudit(tx, actor, {
        action: 'acknowledge',
        resourceType: 'alarm_status',
        resourceId: alarmStatusId,
        after: status,
      })
    return changes
  })
  return true
}
