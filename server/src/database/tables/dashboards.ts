import type { ColumnType } from 'kysely'
import type { CreatedAt } from './columns.ts'

export interface DashboardTables {
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
}
