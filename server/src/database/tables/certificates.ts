import type { ColumnType, Generated, Selectable } from 'kysely'
import type { CreatedAt, Timestamp } from './columns.ts'

export type RevocationReason =
  | 'unspecified'
  | 'key_compromise'
  | 'ca_compromise'
  | 'affiliation_changed'
  | 'superseded'
  | 'cessation_of_operation'
  | 'privilege_withdrawn'

export interface CertificateTables {
  certificate_authorities: {
    id: string
    tenant_id: string
    kind: 'root' | 'issuing'
    origin: Generated<'built_in' | 'imported'>
    subject: string
    certificate: Buffer
    /** The issuers above it, up to the root. */
    chain: Generated<Buffer[]>
    key_sealed: Buffer | null
    not_before: Timestamp
    not_after: Timestamp
    status: Generated<'active' | 'retired' | 'revoked'>
    /** An int8, which is read as text. */
    crl_number: ColumnType<string, number | undefined, number>
    created_at: CreatedAt
    retired_at: Timestamp | null
    revoked_at: Timestamp | null
    revocation_reason: RevocationReason | null
    /** The last revocation list, DER. */
    crl: Buffer | null
    crl_made_at: Timestamp | null
    crl_next_update: Timestamp | null
    /** Whether a certificate was revoked since. */
    crl_outdated: Generated<boolean>
  }
  certificate_settings: {
    enrollment_group_id: string
    tenant_id: string
    enabled: boolean
    minimum_tier: 1 | 2 | 3
    manufacturer_cas: string[]
    validity_days: number
    renewal_grace_days: Generated<number>
  }
  device_certificates: {
    id: string
    tenant_id: string
    enrollment_group_id: string | null
    device_id: string
    authority_id: string
    /** Lower-case hexadecimal. */
    serial_number: string
    /** SHA-256 of the certificate. */
    fingerprint: Buffer
    /** SHA-256 of the SubjectPublicKeyInfo. */
    public_key_fingerprint: Buffer
    /** SHA-256 of the certificate request. */
    request_fingerprint: Buffer | null
    certificate: Buffer
    tier: 1 | 2 | 3
    not_before: Timestamp
    not_after: Timestamp
    issued_at: CreatedAt
    connected_at: Timestamp | null
    superseded_at: Timestamp | null
    revoked_at: Timestamp | null
    revocation_reason: RevocationReason | null
    expiry_announced_at: Timestamp | null
  }
}

export type AuthorityRow = Selectable<CertificateTables['certificate_authorities']>
export type DeviceCertificateRow = Selectable<CertificateTables['device_certificates']>
