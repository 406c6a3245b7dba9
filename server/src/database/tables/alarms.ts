/** Tables of alarms. */
import type { ColumnType, Generated, Selectable } from 'kysely'
import type { Timestamp } from './columns.ts'

export type AlarmState =
  | 'active_unacknowledged'
  | 'active_acknowledged'
  | 'inactive_unacknowledged'
  | 'cleared'

/** A telemetry signal that a variable of a condition refers to; the root component is ''. */
export interface AlarmSignal {
  variable: string
  componentId: string
  name: string
}

export interface AlarmTables {
  alarms: {
    id: string
    tenant_id: string
    organization_id: string
    name: string
    description: string | null
    type: string | null
    entity_type_id: string | null
    entity_ids: Generated<string[]>
    condition: string | null
    clear_condition: string | null
    signals: ColumnType<AlarmSignal[], string | undefined, string>
    severity: number
    for_seconds: Generated<number>
    no_data_seconds: Generated<number>
    max_lateness_seconds: Generated<number>
    revision: Generated<number>
    created_at: ColumnType<Date, Date | undefined, never>
    updated_at: Generated<Date>
  }
  alarm_statuses: {
    id: string
    tenant_id: string
    alarm_id: string
    alarm_name: string
    severity: number
    asset_id: string
    asset_name: string
    organization_id: string | null
    asset_organization_id: string | null
    state: AlarmState
    activated_at: Timestamp
    acknowledged_at: Timestamp | null
    acknowledged_by: string | null
    acknowledge_comment: ColumnType<string | null, string | null | undefined>
    inactive_at: Timestamp | null
    cleared_at: Timestamp | null
    cleared_reason: string | null
    value: ColumnType<unknown, string | null, string | null>
    time: Timestamp
    moved_by_time: Generated<Timestamp>
  }
  alarm_holds: {
    tenant_id: string
    alarm_id: string
    asset_id: string
    since: Timestamp
    due_at: Timestamp
  }
}

export type AlarmRow = Selectable<AlarmTables['alarms']>
export type AlarmStatusRow = Selectable<AlarmTables['alarm_statuses']>
