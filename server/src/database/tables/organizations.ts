import type { ColumnType, Generated, Selectable } from 'kysely'
import type { CreatedAt } from './columns.ts'

/** The users and user groups whom an organization notifies. */
export interface Contacts {
  notifications: { userGroups: string[]; users: string[] }
}

export interface OrganizationTables {
  tenants: {
    id: string
    number: Generated<number>
    display_name: string
    plan: Generated<'standard' | 'enterprise'>
    privileges: string[]
    telemetry_retention_days: number | null
    rollup_retention_days: number | null
    oidc_issuer: string | null
    oidc_audience: string | null
    oidc_client_id: string | null
    created_at: CreatedAt
    deletion_started_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    deletion_cleared_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    /** A bigint, which PostgreSQL returns as text. */
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
}

export type OrganizationTemplateRow = Selectable<OrganizationTables['organization_templates']>
export type OrganizationRow = Selectable<OrganizationTables['organizations']>
export type TenantRow = Selectable<OrganizationTables['tenants']>
