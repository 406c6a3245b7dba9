/** Tables of resources. */
import type { ColumnType } from 'kysely'

export interface ResourceTables {
  resource_items: {
    id: string
    tenant_id: string
    organization_id: string
    display_name: string
    description: string | null
    tags: ColumnType<Record<string, string>, string, string>
    document: ColumnType<Record<string, unknown> | null, string | null, string | null>
    file_key: string | null
    original_file_name: string | null
    content_type: string
    size: ColumnType<string, number, number>
    sha256: string
    created_at: ColumnType<Date, undefined, never>
    created_by: string
    changed_at: ColumnType<Date, never, Date>
    changed_by: string
  }
}
