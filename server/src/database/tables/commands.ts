/** Tables of commands and of deliveries of desired properties. */
import type { ColumnType, Selectable } from 'kysely'
import type { CreatedAt, Timestamp } from './columns.ts'

export type CommandStatus =
  | 'queued'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'timed_out'
  | 'expired'
  | 'cancelled'

export interface CommandTables {
  asset_commands: {
    id: string
    asset_number: number
    component_id: string
    name: string
    status: CommandStatus
    status_message: string | null
    request_payload: ColumnType<unknown, string | null, never>
    response_payload: ColumnType<unknown, never, string | null>
    correlation_id: string
    requested_at: CreatedAt
    responded_at: Timestamp | null
    client_number: number | null
    method_component_id: string | null
    method: string | null
    method_payload: ColumnType<unknown, string | null, never>
    expires_after_seconds: number
    expires_at: Timestamp
    timeout_seconds: number
    started_at: Timestamp | null
  }
  desired_deliveries: {
    client_number: number
    component_id: string
    patch: ColumnType<Record<string, unknown>, string, string>
    revision: string
    sending_until: Timestamp | null
  }
}

export type CommandRow = Selectable<CommandTables['asset_commands']>
