/** An authority that is ready to sign. */
import { createPrivateKey } from 'node:crypto'
import type { AuthorityRow } from '../../../database/tables/certificates.ts'
import { readDer } from '../../../lib/der/read-der.ts'
import { sealedPlace, type Sealer } from '../../../lib/seal.ts'
import { createSigner, makeKeyIdentifier, type Signer } from '../key-algorithms.ts'
import { oids } from '../object-identifiers.ts'
import { type CertificateParts, readCertificateParts } from '../read-certificate.ts'

export interface Authority {
  id: string
  tenantId: string
  /** DER. */
  certificate: Buffer
  /** The certificates above it, up to the root; DER. */
  chain: Buffer[]
  /** Its subject, DER: the issuer of its certificates. */
  name: Buffer
  keyIdentifier: Buffer
  notAfter: Date
  signer: Signer
}

export const authorityKeyPlace = (id: string): string =>
  sealedPlace('certificate_authorities', 'key_sealed', id)

/** @throws Error for an authority without a key, such as an imported root */
export function openAuthority(row: AuthorityRow, sealer: Sealer): Authority {
  if (!row.key_sealed) throw new Error(`the certificate authority ${row.id} has no key here`)
  const key = Buffer.from(sealer.open(row.key_sealed, authorityKeyPlace(row.id)), 'base64')
  const parts = readCertificateParts(row.certificate)
  return {
    id: row.id,
    tenantId: row.tenant_id,
    certificate: row.certificate,
    chain: row.chain,
    name: parts.subject,
    keyIdentifier: findKeyIdentifier(parts),
    notAfter: row.not_after,
    signer: createSigner(createPrivateKey({ key, format: 'der', type: 'pkcs8' })),
  }
}

/** The identifier that the certificate names for its key; an imported one may have another than ours. @throws DerError */
export function findKeyIdentifier({ extensions, publicKey }: CertificateParts): Buffer {
  const named = extensions.get(oids.subjectKeyIdentifier)
  return named ? readDer(named.value).content : makeKeyIdentifier(publicKey)
}
