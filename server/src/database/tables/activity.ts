import type { Selectable } from 'kysely'
import type { Timestamp } from './columns.ts'

export interface ActivityTables {
  client_activity: { client_number: number; last_message_at: Timestamp }
  ingest_rates: {
    tenant_number: number
    node_id: string
    messages: number
    seconds: number
    ended_at: Timestamp
  }
  connection_events: {
    id: string
    client_number: number
    event: 'connected' | 'disconnected'
    at: Timestamp
    reason: string | null
    message: string | null
    protocol: string | null
    transport: string | null
    tls_version: string | null
    address: string | null
    client_id: string | null
    resumed: boolean | null
  }
}

export type ConnectionEventRow = Selectable<ActivityTables['connection_events']>
