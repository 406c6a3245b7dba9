import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { AuthorityRow, DeviceCertificateRow } from '../../database/tables/certificates.ts'

export interface FoundCertificate extends DeviceCertificateRow {
  authority_status: AuthorityRow['status']
  authority_not_after: Date
}

/** Finds a certificate of a device by its fingerprint, whatever its state. @param fingerprint SHA-256 of the DER */
export const findDeviceCertificate = (
  db: Kysely<Tables>,
  fingerprint: Buffer,
): Promise<FoundCertificate | undefined> =>
  db
    .selectFrom('device_certificates')
    .innerJoin('certificate_authorities', 'certificate_authorities.id', 'device_certificates.authority_id')
    .selectAll('device_certificates')
    .select([
      'certificate_authorities.status as authority_status',
      'certificate_authorities.not_after as authority_not_after',
    ])
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
