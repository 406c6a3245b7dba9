import type { AlarmState } from '../../database/tables.ts'

/** A transition of an alarm on an asset. */
export interface AlarmChange {
  tenantId: string
  /** Whether this transition starts an activation. Notifications are sent only then. [docs/alarms#states] */
  isActivation: boolean
  status: AlarmStatus
}

/** A status as the routes return it. [docs/alarms#status-records] */
export interface AlarmStatus {
  alarmStatusId: string
  alarmId: string
  alarmName: string
  entityId: string
  entityName: string
  severity: number
  state: AlarmState
  active: boolean
  acknowledged: boolean
  activatedAt: string
  acknowledgedAt: string | null
  acknowledgedBy: string | null
  acknowledgeComment?: string | null
  inactiveAt: string | null
  clearedAt: string | null
  /** Set where a change or deletion of the alarm or the asset cleared it, and not a sample or an acknowledgement. */
  clearedReason?: string | null
  /** Value of the sample that activated it. */
  value: unknown
  timestamp: string
}
