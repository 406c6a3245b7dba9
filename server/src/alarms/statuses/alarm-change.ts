import type { AlarmState } from '../../database/tables.ts'

/** A transition of an alarm on an asset, committed with the samples that caused it. */
export interface AlarmChange {
  tenantId: string
  /** The first of this activation: who must know is told now, and not again before it has cleared. [docs/alarms#states] */
  isActivation: boolean
  status: AlarmStatus
}

/** As the routes answer it. [docs/alarms#status-records] */
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
  inactiveAt: string | null
  clearedAt: string | null
  /** Where neither a sample nor an acknowledgement cleared it, but a change of the alarm or the asset, or their end. */
  clearedReason?: string | null
  /** Of the sample that activated it. */
  value: unknown
  timestamp: string
}
