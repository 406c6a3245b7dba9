import type { ColumnType, Generated, Selectable } from 'kysely'
import type { CreatedAt, Timestamp } from './columns.ts'

export interface ProviderTables {
  providers: {
    tenant_id: string
    id: string
    type: 'mqtt' | 'import' | 'iothub'
    display_name: string
    description: string | null
    organization_id: string
    provider_data: ColumnType<Record<string, unknown>, string | undefined, string>
    connection_string_sealed: Buffer | null
    created_at: CreatedAt
  }
  provider_templates: {
    tenant_id: string
    id: string
    display_name: string
    description: string | null
    enabled: Generated<boolean>
    tags: ColumnType<Record<string, string[]>, string | undefined, string>
    options: ColumnType<Record<string, unknown>, string | undefined, string>
    organization_id: string
    created_at: CreatedAt
  }
  provider_clients: {
    number: Generated<number>
    tenant_id: string
    provider_id: string
    id: string
    organization_id: string
    display_name: string
    description: string | null
    enabled: Generated<boolean>
    template_id: string | null
    template_applied: Timestamp | null
    provider_data: ColumnType<Record<string, unknown>, string | undefined, string>
    on_broker: boolean
    primary_key_sealed: Buffer | null
    secondary_key_sealed: Buffer | null
    primary_key_hash: string | null
    secondary_key_hash: string | null
    created_at: CreatedAt
    updated_at: ColumnType<Date, Date | undefined, Date>
  }
  client_connections: {
    client_number: number
    /** The nodes with a session of the client, dead ones included. */
    node_ids: Generated<string[]>
    connected_at: Timestamp | null
    remote_address: string | null
    disconnected_at: Timestamp | null
    disconnect_reason: string | null
    disconnect_message: string | null
    refused_at: Timestamp | null
    refused_reason: string | null
  }
  client_twins: {
    client_number: number
    reported: ColumnType<Record<string, unknown>, string | undefined, string>
    reported_version: ColumnType<string, number | string | undefined, number | string>
    reported_at: Timestamp | null
    reported_message_ids: ColumnType<string[], string[] | undefined, string[]>
    desired: ColumnType<Record<string, unknown>, string | undefined, string>
    desired_version: ColumnType<string, number | string | undefined, number | string>
    desired_at: Timestamp | null
  }
  provider_webhooks: {
    id: string
    tenant_id: string
    provider_id: string
    url: string
    /** Names of the events that it receives. */
    events: Generated<string[]>
    routing_target_id: string | null
    secret_sealed: Buffer
    created_at: CreatedAt
  }
}

export type ProviderTemplateRow = Selectable<ProviderTables['provider_templates']>
export type ProviderRow = Selectable<ProviderTables['providers']>
export type WebhookRow = Selectable<ProviderTables['provider_webhooks']>
