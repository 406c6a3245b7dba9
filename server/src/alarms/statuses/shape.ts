import type { AlarmStatusRow } from '../../database/tables/alarms.ts'
import { formatTimestamp } from '../../http/shapes.ts'
import type { AlarmChange, AlarmStatus } from './alarm-change.ts'
import { isAcknowledged, isActive } from './states.ts'

export const statusShape = (row: AlarmStatusRow): AlarmStatus => ({
  alarmStatusId: row.id,
  alarmId: row.alarm_id,
  alarmName: row.alarm_name,
  entityId: row.asset_id,
  entityName: row.asset_name,
  severity: row.severity,
  state: row.state,
  active: isActive(row.state),
  acknowledged: isAcknowledged(row.state),
  activatedAt: row.activated_at.toISOString(),
  acknowledgedAt: formatTimestamp(row.acknowledged_at),
  acknowledgedBy: row.acknowledged_by,
  acknowledgeComment: row.acknowledge_comment,
  inactiveAt: formatTimestamp(row.inactive_at),
  clearedAt: formatTimestamp(row.cleared_at),
  clearedReason: row.cleared_reason,
  value: row.value,
  timestamp: row.time.toISOString(),
})

export const alarmChange = (row: AlarmStatusRow, isActivation = false): AlarmChange => ({
  tenantId: row.tenant_id,
  isActivation,
  status: statusShape(row),
})
