/** Builds X.509 certificates (RFC 5280) and signs them with an authority's key. */
import { randomBytes } from 'node:crypto'
import {
  bitString,
  booleanTrue,
  explicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  smallInteger,
  tagged,
  time,
  utf8String,
} from '../../../lib/der/write-der.ts'
import { makeKeyIdentifier, type Signer } from '../key-algorithms.ts'
import { oids } from '../object-identifiers.ts'

/** Encoded once: a certificate names ten of them. */
const identifiers = Object.fromEntries(
  Object.entries(oids).map(([name, dotted]) => [name, objectIdentifier(dotted)]),
) as Record<keyof typeof oids, Buffer>

interface CertificateFields {
  /** 16 bytes, from `makeSerialNumber`. */
  serialNumber: Buffer
  /** Name, DER. */
  issuer: Buffer
  /** Name, DER. */
  subject: Buffer
  notBefore: Date
  notAfter: Date
  /** SubjectPublicKeyInfo, DER. */
  publicKey: Buffer
  extensions: Buffer[]
}

/** @returns DER */
export async function buildCertificate(fields: CertificateFields, signer: Signer): Promise<Buffer> {
  const toBeSigned = sequence(
    explicit(0, smallInteger(2)),
    integer(fields.serialNumber),
    signer.algorithm,
    fields.issuer,
    sequence(time(fields.notBefore), time(fields.notAfter)),
    fields.subject,
    fields.publicKey,
    explicit(3, sequence(...fields.extensions)),
  )
  return sequence(toBeSigned, signer.algorithm, bitString(await signer.sign(toBeSigned)))
}

/** 128 bits, of which 126 are random: a fixed length and never negative. */
export function makeSerialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x3f) | 0x40
  return bytes
}

/** @param attributes in order, such as `{ commonName: 'pump-1' }` @returns Name, DER */
export const makeName = (attributes: { commonName: string; organizationalUnit?: string }): Buffer =>
  sequence(
    ...Object.entries(attributes).map(([name, value]) =>
      set(sequence(identifiers[name as keyof typeof attributes], utf8String(value))),
    ),
  )

const extension = (name: keyof typeof oids, value: Buffer, { critical = false } = {}) =>
  sequence(identifiers[name], ...(critical ? [booleanTrue()] : []), octetString(value))

/** @param pathLength the number of authorities that may stand below it */
export const authorityConstraints = (pathLength: number): Buffer =>
  extension('basicConstraints', sequence(booleanTrue(), smallInteger(pathLength)), { critical: true })

export const leafConstraints = (): Buffer => extension('basicConstraints', sequence(), { critical: true })

/** keyCertSign and cRLSign. */
export const authorityKeyUsage = (): Buffer =>
  extension('keyUsage', bitString(Buffer.of(0b0000_0110), 1), { critical: true })

/** digitalSignature. */
export const signingKeyUsage = (): Buffer =>
  extension('keyUsage', bitString(Buffer.of(0b1000_0000), 7), { critical: true })

export const clientAuthentication = (): Buffer =>
  extension('extendedKeyUsage', sequence(identifiers.clientAuth))

/** @param publicKey SubjectPublicKeyInfo, DER */
export const subjectKeyIdentifier = (publicKey: Buffer): Buffer =>
  extension('subjectKeyIdentifier', octetString(makeKeyIdentifier(publicKey)))

/** @param keyIdentifier that of the issuer's own certificate */
export const authorityKeyIdentifier = (keyIdentifier: Buffer): Buffer =>
  extension('authorityKeyIdentifier', sequence(tagged(0x80, keyIdentifier)))

/** @param url where the revocation list is */
export const revocationListAddress = (url: string): Buffer => {
  const name = tagged(0x86, Buffer.from(url, 'latin1'))
  return extension('crlDistributionPoints', sequence(sequence(explicit(0, explicit(0, name)))))
}
