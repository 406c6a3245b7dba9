import type { CreatedAt, Json } from './columns.ts'

export interface AuditTables {
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
}
