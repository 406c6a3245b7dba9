/** What Kysely knows of the schema. The truth is `migrations/`; `schema.sql` shows the sum of them. */
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { MethodTables } from './tables/methods.ts'
import type { CommandTables } from './tables/commands.ts'
import type { NotificationTables } from './tables/notifications.ts'
import type { AlarmTables } from './tables/alarms.ts'
import type { FirmwareTables } from './tables/firmware.ts'

export type { AlarmSignal, AlarmState } from './tables/alarms.ts'
import type { ResourceTables } from './tables/resources.ts'
import type { SimulationTables } from './tables/simulations.ts'

type Timestamp = ColumnType<Date, Date | string, Date | string>
type CreatedAt = ColumnType<Date, Date | string | undefined, never>
/** Of an organization: ids of whom it is to tell. */
export interface Contacts {
  notifications: { userGroups: string[]; users: string[] }
}
type Json<T extends object> = JSONColumnType<T, string, string>

export interface Tables
  extends
    AlarmTables,
    CommandTables,
    FirmwareTables,
    MethodTables,
    NotificationTables,
    ResourceTables,
    SimulationTables {
  tenants: {
    id: string
    number: Generated<number>
    display_name: string
    plan: Generated<'standard' | 'enterprise'>
    privileges: string[]
    telemetry_retention_days: number | null
    oidc_issuer: string | null
    oidc_audience: string | null
    oidc_client_id: string | null
    created_at: CreatedAt
    deletion_started_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    deletion_cleared_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    /** As text, as PostgreSQL's bigint is. */
    deletion_rows: ColumnType<string, number | undefined, number>
    deletion_error: ColumnType<string | null, string | null | undefined, string | null>
  }
  organizations: {
    id: string
    tenant_id: string
    parent_organization_id: string | null
    display_name: string
    description: string | null
    privileges: string[]
    contacts: ColumnType<Contacts, string | undefined, string>
    created_at: CreatedAt
  }
  organization_templates: {
    id: string
    tenant_id: string
    display_name: string
    description: string | null
    privileges: string[] | null
    contacts: ColumnType<Contacts, string | undefined, string>
    created_at: CreatedAt
  }
  users: {
    id: string
    tenant_id: string
    display_name: string
    /** null only for a user of an OIDC issuer that tells none. */
    email: string | null
    /** Of all users with the same email at most one owns it: that one signs in with it and gets password resets. */
    owns_email: Generated<boolean>
    /** Somebody else chose the first password. */
    made_by_other: Generated<boolean>
    phone_number: string | null
    password_hash: string | null
    disabled_at: Timestamp | null
    oidc_issuer: string | null
    oidc_subject: string | null
    created_at: CreatedAt
  }
  relations: {
    tenant_id: string
    subject_type: string
    subject_id: string
    resource_type: string
    resource_id: string
    relation: string
    created_at: CreatedAt
  }
  refresh_token_families: {
    id: string
    user_id: string
    created_at: CreatedAt
    revoked_at: Timestamp | null
    network: string | null
  }
  refresh_tokens: { token_hash: Buffer; family_id: string; expires_at: Timestamp; used_at: Timestamp | null }
  password_resets: { user_id: string; token_hash: Buffer; created_at: CreatedAt; expires_at: Timestamp }
  api_tokens: {
    id: string
    tenant_id: string
    user_id: string
    display_name: string
    secret_hash: Buffer
    privileges: string[] | null
    expires_at: Timestamp | null
    /** The API token that made this one. */
    parent_id: string | null
    created_at: CreatedAt
  }
  signing_keys: { id: string; public_jwk: Json<object>; private_jwk_sealed: Buffer; created_at: CreatedAt }
  login_failures: { key: string; failures: number; last_failure_at: Timestamp }
  audit_log: {
    id: string
    tenant_id: string
    at: CreatedAt
    actor_type: string
    actor_id: string | null
    action: string
    resource_type: string
    resource_id: string
    before: Json<object> | null
    after: Json<object> | null
    request_id: string | null
  }
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
    connected: boolean
    node_id: string | null
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
  receiver_circuits: {
    receiver: string
    failures: number
    reason: string
    failing_since: Generated<Date>
    last_failed_at: Generated<Date>
    retry_at: Date | null
  }
  provider_webhooks: {
    id: string
    tenant_id: string
    provider_id: string
    url: string
    routing_target_id: string | null
    secret_sealed: Buffer
    created_at: CreatedAt
  }
  series: {
    number: Generated<number>
    tenant_number: number
    owner_type: 'client' | 'asset'
    owner_id: string
    component_id: Generated<string>
    name: string
    type: 'telemetry' | 'propertyReported'
    created_at: CreatedAt
  }
  samples: {
    tenant_number: number
    series_number: number
    time: Timestamp
    message_id: string
    value: number
  }
  samples_other: {
    tenant_number: number
    series_number: number
    time: Timestamp
    message_id: string
    value: ColumnType<unknown, string, string>
  }
  dead_letters: {
    id: string
    client_number: number
    received_at: CreatedAt
    topic: string
    payload: Buffer
    reason: string
    message: string
  }
  outbox: {
    id: ColumnType<string, never, never>
    subject: string
    payload: ColumnType<unknown, string, never>
    created_at: CreatedAt
  }
  routing_targets: {
    id: string
    tenant_id: string
    name: string
    brokers: ColumnType<{ host: string; port: number }[], string, string>
    broker_selection: Generated<'first' | 'spread'>
    provider_base_url: string
    provider_api_key_sealed: Buffer
    webhook_secret_sealed: Buffer
    created_at: CreatedAt
  }
  enrollment_groups: {
    id: string
    tenant_id: string
    name: string
    auth_method: Generated<'shared_key'>
    routing_target_id: string
    status: Generated<'enabled' | 'disabled'>
    response_template: ColumnType<Record<string, unknown>, string, string>
    primary_key_sealed: Buffer | null
    secondary_key_sealed: Buffer | null
    created_at: CreatedAt
  }
  onboarding_devices: {
    tenant_id: string
    enrollment_group_id: string
    device_id: string
    status: Generated<'registered' | 'provisioned' | 'deleted'>
    created_at: CreatedAt
    provisioned_at: Timestamp | null
    last_settings_at: Timestamp | null
    last_key_slot: 'primary' | 'secondary' | null
    deleted_at: Timestamp | null
  }
  provider_events: {
    routing_target_id: string
    id: string
    event: string
    device_id: string | null
    received_at: CreatedAt
  }
  groups: {
    id: string
    tenant_id: string
    display_name: string
    description: string | null
    created_at: CreatedAt
  }
  tree_nodes: {
    id: string
    tenant_id: string
    organization_id: string
    display_name: string
    description: string | null
    created_at: CreatedAt
  }
  tree_edges: {
    id: string
    tenant_id: string
    from_type: 'node' | 'asset' | 'dashboard'
    from_id: string
    to_type: 'node' | 'asset' | 'dashboard'
    to_id: string
    relation: Generated<'CONTAINS'>
    created_at: CreatedAt
  }
  dashboards: {
    id: string
    tenant_id: string
    organization_id: string
    display_name: string
    description: string | null
    data: ColumnType<Record<string, unknown>, string | undefined, string>
    data_bytes: ColumnType<number, never, never>
    created_at: CreatedAt
  }
  models: {
    tenant_id: string
    id: string
    organization_id: string
    display_name: string
    description: string | null
    definition: Json<object>
    definition_bytes: number
    created_at: CreatedAt
  }
  model_references: { tenant_id: string; model_id: string; used_model_id: string }
  assets: {
    number: Generated<number>
    tenant_id: string
    id: string
    model_id: string
    organization_id: string
    display_name: string
    description: string | null
    ignored_endpoints: Generated<string[]>
    created_at: CreatedAt
  }
  asset_twins: {
    asset_number: number
    reported: ColumnType<Record<string, unknown>, string | undefined, string>
    reported_version: ColumnType<string, number | string | undefined, number | string>
    reported_at: Timestamp | null
    desired: ColumnType<Record<string, unknown>, string | undefined, string>
    desired_version: ColumnType<string, number | string | undefined, number | string>
    desired_at: Timestamp | null
  }
  binding_descriptions: {
    tenant_id: string
    id: string
    organization_id: string
    display_name: string
    description: string | null
    model_id: string
    bindings: ColumnType<unknown[], string, string>
    is_generated: Generated<boolean>
    created_at: CreatedAt
  }
  asset_bindings: {
    asset_number: number
    component_id: string
    kind: 'telemetry' | 'property' | 'command'
    name: string
    binding_type: Generated<string>
    transform: ColumnType<unknown, string | null, string | null>
    inverse_transform: ColumnType<unknown, string | null, string | null>
    origin: 'explicit' | 'description' | 'autobind'
    binding_description_id: string | null
    error: string | null
    error_at: Timestamp | null
  }
  asset_binding_remotes: {
    asset_number: number
    component_id: string
    kind: 'telemetry' | 'property' | 'command'
    name: string
    place: number
    remote_name: string
    tenant_id: string
    instance_type: 'client' | 'asset'
    instance_id: string
    remote_component_id: string
    remote_endpoint_name: string
  }
}
