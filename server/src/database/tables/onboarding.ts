import type { ColumnType, Generated, Selectable } from 'kysely'
import type { CreatedAt, Timestamp } from './columns.ts'

export interface OnboardingTables {
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
    key_policy: Generated<'any' | 'derived_only'>
    offline_settings: Generated<boolean>
    offline_settings_max_age_seconds: Generated<number>
    response_template: ColumnType<Record<string, unknown>, string, string>
    primary_key_sealed: Buffer | null
    secondary_key_sealed: Buffer | null
    /** Rows of `bootstrap_keys`; null where the slot is empty. */
    primary_key_id: string | null
    secondary_key_id: string | null
    created_at: CreatedAt
  }
  bootstrap_keys: {
    id: string
    tenant_id: string
    enrollment_group_id: string
    /** Null for a key that was generated before this column existed. */
    created_at: ColumnType<Date | null, never, never>
    last_used_at: Timestamp | null
  }
  onboarding_devices: {
    tenant_id: string
    enrollment_group_id: string
    device_id: string
    status: Generated<'registered' | 'provisioned' | 'deleted'>
    created_at: CreatedAt
    provisioned_at: Timestamp | null
    last_settings_at: Timestamp | null
    /** No foreign key: the key may be gone. */
    last_key_id: string | null
    last_key_kind: 'bootstrap' | 'derived' | null
    deleted_at: Timestamp | null
  }
  onboarding_credentials: {
    tenant_id: string
    enrollment_group_id: string
    device_id: string
    provider: string
    credentials_sealed: Buffer
    received_at: Timestamp
  }
  provider_events: {
    routing_target_id: string
    id: string
    event: string
    device_id: string | null
    received_at: CreatedAt
  }
}

export type EnrollmentGroupRow = Selectable<OnboardingTables['enrollment_groups']>
export type RoutingTargetRow = Selectable<OnboardingTables['routing_targets']>
/** With the slot in which the key that the device used last is now. */
export type DeviceRow = Selectable<OnboardingTables['onboarding_devices']> & {
  last_key_slot: 'primary' | 'secondary' | null
}
