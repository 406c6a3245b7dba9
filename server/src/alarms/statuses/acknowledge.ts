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
  comment?: string | undefined
  /** Actor for the audit log; a system actor named `by` where absent. */
  actor?: Actor
}

/**
 * A second acknowledgement changes nothing; of two concurrent ones, the first counts. [docs/alarms#acknowledging]
 * @returns false if there is no such status
 */
export async function acknowledgeAlarm(
  { db, alarms }: Pick<Context, 'db' | 'alarms'>,
  { tenantId, alarmStatusId, by, comment, actor = { tenantId, system: by } }: Acknowledgement,
): Promise<boolean> {
  if (!(await findStatus(db, tenantId, alarmStatusId))) return false
  await changeStatuses(alarms, async (tx) => {
    const rows = await lockOpenStatuses(tx, tenantId, sql`s.id = ${alarmStatusId}`)
    const changes = await moveStatuses(tx, rows, { event: 'acknowledge', by, comment })
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
