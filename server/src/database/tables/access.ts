import type { Selectable } from 'kysely'
import type { CreatedAt, Json, Timestamp } from './columns.ts'

export interface AccessTables {
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
    /** End of a sign-in by an OIDC issuer. */
    expires_at: Timestamp | null
  }
  refresh_tokens: {
    token_hash: Buffer
    family_id: string
    expires_at: Timestamp
    used_at: Timestamp | null
    /** The token that this one replaces. */
    parent_hash: Buffer | null
    /** When the token was accepted a second time. */
    repeated_at: Timestamp | null
  }
  api_tokens: {
    id: string
    tenant_id: string
    user_id: string
    display_name: string
    secret_hash: Buffer
    privileges: string[] | null
    expires_at: Timestamp | null
    /** The API token that created this one. */
    parent_id: string | null
    /** The dashboard to which it is limited. */
    dashboard_id: string | null
    created_at: CreatedAt
  }
  signing_keys: { id: string; public_jwk: Json<object>; private_jwk_sealed: Buffer; created_at: CreatedAt }
  login_failures: { key: string; failures: number; last_failure_at: Timestamp }
}

export type ApiTokenRow = Selectable<AccessTables['api_tokens']>
