/** The alarms of some assets that have not cleared, page by page. */
import type { Kysely, Selectable } from 'kysely'
import type { AlarmStatus } from '../alarms/change.ts'
import type { Tables } from '../database/tables.ts'
import { timestampOf } from '../http/shapes.ts'
import { type Update, updateOfAlarm } from './update.ts'
import type { WatchedOwner } from './watchers.ts'

const PAGE = 1000

export async function* openAlarms(
  db: Kysely<Tables>,
  tenantId: string,
  owners: WatchedOwner[],
): AsyncGenerator<Update[]> {
  const assetIds = owners.map(({ ownerId }) => ownerId)
  let after: string | undefined
  for (;;) {
    const page = await db
      .selectFrom('alarm_statuses')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('asset_id', 'in', assetIds)
      .where('state', '<>', 'cleared')
      .$if(after !== undefined, (q) => q.where('id', '>', after!))
      .orderBy('id')
      .limit(PAGE)
      .execute()
    yield page.map((row) => updateOfAlarm(statusOf(row)))
    if (page.length < PAGE) return
    after = page.at(-1)!.id
  }
}

const statusOf = (row: Selectable<Tables['alarm_statuses']>): AlarmStatus => ({
  alarmStatusId: row.id,
  alarmId: row.alarm_id,
  alarmName: row.alarm_name,
  entityId: row.asset_id,
  entityName: row.asset_name,
  severity: row.severity,
  state: row.state,
  active: row.state.startsWith('active'),
  acknowledged: row.acknowledged_at !== null,
  activatedAt: row.activated_at.toISOString(),
  acknowledgedAt: timestampOf(row.acknowledged_at),
  acknowledgedBy: row.acknowledged_by,
  inactiveAt: timestampOf(row.inactive_at),
  clearedAt: timestampOf(row.cleared_at),
  value: row.value,
  timestamp: row.time.toISOString(),
})
