import type { Kysely } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { validationError } from '../../../http/errors.ts'
import { readCertificateParts } from '../read-certificate.ts'
import type { ImportedAuthority } from './read-imported.ts'

/**
 * Under another certificate of its key, everything that a revoked authority issued would be valid again elsewhere.
 * @param tx a transaction that has locked the authorities of the tenant
 * @throws validation_error
 */
export async function refuseRevokedKeys(
  tx: Kysely<Tables>,
  tenantId: string,
  { certificate, chain }: ImportedAuthority,
): Promise<void> {
  const revoked = await tx
    .selectFrom('certificate_authorities')
    .select('certificate')
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'revoked')
    .execute()
  const keys = new Set(revoked.map((row) => readKey(row.certificate)))
  const index = [certificate, ...chain].findIndex((der) => keys.has(readKey(der)))
  if (index < 0) return
  const message = `certificate ${index + 1} has the key of an authority that was revoked. Make a new key`
  throw validationError({ path: 'certificates', message })
}

const readKey = (der: Buffer) => readCertificateParts(der).publicKey.toString('latin1')
