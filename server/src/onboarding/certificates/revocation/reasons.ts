import type { RevocationReason } from '../../../database/tables/certificates.ts'

/** Why a certificate is revoked, with the codes of revocation lists. [RFC 5280, 5.3.1] [docs/certificates#revocation] */
export const reasonCodes: Record<RevocationReason, number> = {
  unspecified: 0,
  key_compromise: 1,
  ca_compromise: 2,
  affiliation_changed: 3,
  superseded: 4,
  cessation_of_operation: 5,
  privilege_withdrawn: 9,
}

export const revocationReasons = Object.keys(reasonCodes) as RevocationReason[]
