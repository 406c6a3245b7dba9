/** Reads the parts of an X.509 certificate that `node:crypto` does not show. */
import {
  DerError,
  type DerValue,
  expectTag,
  readChildren,
  readDer,
  readList,
  readObjectIdentifier,
} from '../../lib/der/read-der.ts'

export interface Extension {
  critical: boolean
  /** DER. */
  value: Buffer
}

export interface CertificateParts {
  /** Name, DER. */
  issuer: Buffer
  /** Name, DER. */
  subject: Buffer
  /** SubjectPublicKeyInfo, DER. */
  publicKey: Buffer
  /** Object identifier of the signature's algorithm. */
  signatureAlgorithm: string
  /** By object identifier. */
  extensions: Map<string, Extension>
}

/** @param der of a certificate @throws DerError */
export function readCertificateParts(der: Buffer): CertificateParts {
  const [tbs, algorithm] = readList(readDer(der), 0x30, 'the certificate')
  const fields = readList(tbs, 0x30, 'the content of the certificate')
  expectTag(fields[0], 0xa0, 'the version of the certificate')
  const [, , , issuer, , subject, publicKey, ...optional] = fields
  const extensions = optional.find(({ tag }) => tag === 0xa3)
  return {
    issuer: expectTag(issuer, 0x30, 'the issuer').bytes,
    subject: expectTag(subject, 0x30, 'the subject').bytes,
    publicKey: expectTag(publicKey, 0x30, 'the public key').bytes,
    signatureAlgorithm: readObjectIdentifier(readList(algorithm, 0x30, 'the signature algorithm')[0]),
    extensions: extensions ? readExtensions(readChildren(extensions)[0]) : new Map(),
  }
}

/** @param list a SEQUENCE of extensions @throws DerError also for an extension that occurs twice */
export function readExtensions(list: DerValue | undefined): Map<string, Extension> {
  const extensions = new Map<string, Extension>()
  for (const item of readList(list, 0x30, 'the list of extensions')) {
    const [oid, ...rest] = readList(item, 0x30, 'an extension')
    const id = readObjectIdentifier(oid)
    if (extensions.has(id)) throw new DerError(`the extension ${id} occurs twice`)
    extensions.set(id, {
      critical: rest.length === 2 && rest[0]!.content[0] !== 0,
      value: expectTag(rest.at(-1), 0x04, 'the value of an extension').content,
    })
  }
  return extensions
}
