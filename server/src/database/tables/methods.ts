import type { ColumnType, Selectable } from 'kysely'

export interface MethodTables {
  handovers: {
    id: string
    body: string
    created_at: ColumnType<Date, never, never>
  }
  method_templates: {
    id: string
    tenant_id: string
    organization_id: string
    display_name: string
    description: string | null
    method: string
    component_id: string | null
    payload: ColumnType<Record<string, unknown> | null, string | null, string | null>
    timeout_seconds: number | null
    created_at: ColumnType<Date, Date | undefined, never>
  }
}

export type MethodTemplateRow = Selectable<MethodTables['method_templates']>
