import Type from 'typebox'
import type { AuthorityRow } from '../../../database/tables/certificates.ts'
import { formatTimestamp, Nullable, Timestamp, Uuid } from '../../../http/shapes.ts'

export const AuthorityRecord = Type.Object(
  {
    id: Uuid,
    kind: Type.Enum(['root', 'issuing']),
    origin: Type.Enum(['built_in', 'imported']),
    subject: Type.String(),
    status: Type.Enum(['active', 'retired', 'revoked']),
    notBefore: Timestamp,
    notAfter: Timestamp,
    createdAt: Timestamp,
    retiredAt: Nullable(Timestamp),
    revokedAt: Nullable(Timestamp),
  },
  { title: 'CertificateAuthority' },
)

/** An authority without its key. */
export const authorityShape = (row: AuthorityRow) => ({
  id: row.id,
  kind: row.kind,
  origin: row.origin,
  subject: row.subject,
  status: row.status,
  notBefore: row.not_before.toISOString(),
  notAfter: row.not_after.toISOString(),
  createdAt: row.created_at.toISOString(),
  retiredAt: formatTimestamp(row.retired_at),
  revokedAt: formatTimestamp(row.revoked_at),
})
