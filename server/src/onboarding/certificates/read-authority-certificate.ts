/** Reads the certificate of an authority that others made, and checks that it may issue certificates. */
import { type KeyObject, X509Certificate } from 'node:crypto'
import { DerError } from '../../lib/der/read-der.ts'
import { CertificateProblem } from './certificate-problem.ts'
import { ACCEPTED_KEYS, ACCEPTED_SIGNATURES, findHash, findKeyKind } from './key-algorithms.ts'
import { oids } from './object-identifiers.ts'
import { type CertificateParts, readCertificateParts } from './read-certificate.ts'
import {
  allowsClientAuthentication,
  CERTIFICATE_SIGN,
  readConstraints,
  readKeyUsage,
} from './read-extensions.ts'

export interface ParsedCertificate {
  der: Buffer
  x509: X509Certificate
  publicKey: KeyObject
  parts: CertificateParts
}

export interface ForeignCertificate extends ParsedCertificate {
  notBefore: Date
  notAfter: Date
}

export interface AuthorityCertificate extends ForeignCertificate {
  /** How many authorities may stand below it; undefined for no limit. */
  pathLength: number | undefined
}

/** Extensions that are checked, or that do not restrict what a certificate may be used for. */
const understood: readonly string[] = [
  oids.basicConstraints,
  oids.keyUsage,
  oids.extendedKeyUsage,
  oids.subjectAltName,
  oids.subjectKeyIdentifier,
  oids.authorityKeyIdentifier,
  oids.crlDistributionPoints,
  '2.5.29.32',
]

/** @throws CertificateProblem if it cannot be read, is not valid now, or has something critical that is not understood */
export const readForeignCertificate = (der: Buffer): ForeignCertificate =>
  checkForeignCertificate(parseCertificate(der))

function checkForeignCertificate(parsed: ParsedCertificate, now = Date.now()): ForeignCertificate {
  const { x509, publicKey, parts } = parsed
  const [notBefore, notAfter] = [new Date(x509.validFrom), new Date(x509.validTo)]
  // A time that cannot be read is neither before nor after now.
  if (!(now >= notBefore.getTime())) throw new CertificateProblem(`is not valid before ${x509.validFrom}`)
  if (!(now <= notAfter.getTime())) throw new CertificateProblem(`has expired on ${x509.validTo}`)
  const unknown = [...parts.extensions].find(([oid, { critical }]) => critical && !understood.includes(oid))
  if (unknown)
    throw new CertificateProblem(`has the critical extension ${unknown[0]}, which is not supported`)
  if (!findKeyKind(publicKey))
    throw new CertificateProblem(`has a key that is not accepted. Use ${ACCEPTED_KEYS}`)
  return { ...parsed, notBefore, notAfter }
}

/**
 * Node.js reads PEM wherever it stands in the bytes, also within an extension. Such a certificate would have the names of one
 * and the signature of another, so that the bytes that Node.js read have to be all there are.
 * @throws CertificateProblem
 */
export function parseCertificate(der: Buffer): ParsedCertificate {
  try {
    const x509 = new X509Certificate(der)
    if (!x509.raw.equals(der)) throw new DerError('it holds another certificate')
    return { der, x509, publicKey: x509.publicKey, parts: readCertificateParts(der) }
  } catch (error) {
    const reason = error instanceof DerError ? ` (${error.message})` : ''
    throw new CertificateProblem(`is not an X.509 certificate${reason}`)
  }
}

/** @throws CertificateProblem also for a certificate that may not issue those of devices */
export const readAuthorityCertificate = (der: Buffer): AuthorityCertificate =>
  checkAuthorityCertificate(parseCertificate(der))

/** @throws CertificateProblem as `readAuthorityCertificate` */
export function checkAuthorityCertificate(parsed: ParsedCertificate): AuthorityCertificate {
  const certificate = checkForeignCertificate(parsed)
  const { extensions } = certificate.parts
  const { isAuthority, pathLength } = readConstraints(extensions)
  if (!isAuthority)
    throw new CertificateProblem('is not the certificate of an authority (basicConstraints without CA:TRUE)')
  if ((readKeyUsage(extensions) & CERTIFICATE_SIGN) === 0)
    throw new CertificateProblem('may not sign certificates (keyUsage without keyCertSign)')
  // As other implementations do, the usages of an authority are a limit for those of all certificates below it.
  if (!allowsClientAuthentication(extensions))
    throw new CertificateProblem('is not for certificates of clients (extendedKeyUsage without clientAuth)')
  return { ...certificate, pathLength }
}

/** @throws CertificateProblem unless the issuer has signed the certificate, with a digest that is not weak */
export function requireSignedBy(certificate: ForeignCertificate, issuer: ForeignCertificate): void {
  if (findHash(certificate.parts.signatureAlgorithm) === undefined)
    throw new CertificateProblem(
      `is signed with an algorithm that is not accepted. Use ${ACCEPTED_SIGNATURES}`,
    )
  if (!certificate.x509.verify(issuer.publicKey)) throw new CertificateProblem('has a wrong signature')
}

export const isIssuedBy = (certificate: ForeignCertificate, issuer: ForeignCertificate): boolean =>
  certificate.parts.issuer.equals(issuer.parts.subject)

export const isSelfSigned = (certificate: ForeignCertificate): boolean => isIssuedBy(certificate, certificate)
