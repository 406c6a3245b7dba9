import type { ColumnType, Generated } from 'kysely'
import type { CreatedAt, Json, NullableJson, Timestamp } from './columns.ts'

type FreeJson = Record<string, unknown>

export interface DashboardTables {
  dashboards: {
    id: string
    tenant_id: string
    organization_id: string
    display_name: string
    description: string | null
    data: ColumnType<FreeJson, string | undefined, string>
    data_bytes: ColumnType<number, never, never>
    version: Generated<number>
    created_at: CreatedAt
  }
  dashboard_versions: {
    dashboard_id: string
    version: number
    tenant_id: string
    organization_id: string
    action: 'create' | 'update' | 'restore' | 'delete'
    user_id: string | null
    token_id: string | null
    created_at: CreatedAt
    display_name: string
    description: string | null
    data: NullableJson<FreeJson>
    data_bytes: ColumnType<number, never, never>
  }
  dashboard_drafts: {
    dashboard_id: string
    user_id: string
    tenant_id: string
    version: number
    data: Json<FreeJson>
    changed_at: Timestamp
  }
}
