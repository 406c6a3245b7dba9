import type { ColumnType, Generated } from 'kysely'
import type { OptionalJson } from './columns.ts'

/** An int8, which is read as text. */
type BigNumber = ColumnType<string, number, number>

export interface MqttTables {
  mqtt_sessions: {
    number: ColumnType<string, never, never>
    client_number: number
    client_id: string
    node_id: string | null
    generation: Generated<number>
    subscriptions: OptionalJson<unknown[]>
    expiry_seconds: BigNumber
    disconnected_at: Date | null
    expires_at: Date | null
  }
  mqtt_session_messages: {
    number: ColumnType<string, never, never>
    session_number: BigNumber
    packet_id: number | null
    topic: string
    payload: Buffer
    qos: number
    retain: boolean
    properties: Record<string, unknown> | null
    expires_at: Date | null
    is_released: Generated<boolean>
  }
  mqtt_session_received: {
    session_number: BigNumber
    packet_id: number
  }
  mqtt_retained_messages: {
    client_number: number
    topic: string
    payload: Buffer
    qos: number
    properties: Record<string, unknown> | null
    expires_at: Date | null
  }
}
