import type { ColumnType, Generated, Selectable } from 'kysely'
import type { CreatedAt, Json, Timestamp } from './columns.ts'

export interface AssetTables {
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

export type ModelRow = Selectable<AssetTables['models']>
export type BindingDescriptionRow = Selectable<AssetTables['binding_descriptions']>
