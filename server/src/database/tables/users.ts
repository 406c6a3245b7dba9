import type { Generated, Selectable } from 'kysely'
import type { CreatedAt, Timestamp } from './columns.ts'

export interface UserTables {
  users: {
    id: string
    tenant_id: string
    display_name: string
    /** null only for users of an OIDC issuer that provides no email. */
    email: string | null
    /** At most one of several users with the same email owns it, signs in with it and receives password resets. */
    owns_email: Generated<boolean>
    /** Whether someone else chose the first password. */
    made_by_other: Generated<boolean>
    phone_number: string | null
    password_hash: string | null
    disabled_at: Timestamp | null
    oidc_issuer: string | null
    oidc_subject: string | null
    created_at: CreatedAt
  }
  groups: {
    id: string
    tenant_id: string
    display_name: string
    description: string | null
    created_at: CreatedAt
  }
  password_resets: { user_id: string; token_hash: Buffer; created_at: CreatedAt; expires_at: Timestamp }
}

export type UserRow = Selectable<UserTables['users']>
export type GroupRow = Selectable<UserTables['groups']>
