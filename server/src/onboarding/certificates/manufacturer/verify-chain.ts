/**
 * Verifies the certificate that a manufacturer put into a device (tier 3) up to one of the authorities that the group
 * trusts. TLS has proved that the device holds its key. [docs/certificates#manufacturer-certificates]
 */
import { DerError } from '../../../lib/der/read-der.ts'
import { CertificateProblem } from '../certificate-problem.ts'
import { findKeyKind } from '../key-algorithms.ts'
import { oids } from '../object-identifiers.ts'
import { readCertificateParts } from '../read-certificate.ts'
import {
  type AuthorityCertificate,
  checkAuthorityCertificate,
  type ForeignCertificate,
  parseCertificate,
  type ParsedCertificate,
  readForeignCertificate,
  requireSignedBy,
} from '../read-authority-certificate.ts'
import {
  allowsClientAuthentication,
  DIGITAL_SIGNATURE,
  readConstraints,
  readKeyUsage,
} from '../read-extensions.ts'
import { readNameParts } from '../request/read-names.ts'

/** Authorities between the device and the trusted one. */
const MAX_INTERMEDIATES = 4

interface Chain {
  /** DER; the device's own certificate. */
  leaf: Buffer
  /** DER; what the device sent above it. */
  intermediates: Buffer[]
  /** The authorities that the group trusts, roots or not. */
  trusted: ParsedCertificate[]
}

/** @throws CertificateProblem */
export function verifyManufacturerChain({ leaf, intermediates, trusted }: Chain): void {
  try {
    const device = readForeignCertificate(leaf)
    requireLeaf(device)
    verifyUpwards(device, intermediates.slice(0, MAX_INTERMEDIATES), trusted)
  } catch (error) {
    if (error instanceof DerError) throw new CertificateProblem(`cannot be read: ${error.message}`)
    throw error
  }
}

function requireLeaf({ parts: { extensions } }: ForeignCertificate) {
  if (readConstraints(extensions).isAuthority)
    throw new CertificateProblem('is that of an authority, not that of a device')
  if ((readKeyUsage(extensions) & DIGITAL_SIGNATURE) === 0)
    throw new CertificateProblem('may not sign (keyUsage without digitalSignature)')
  if (!allowsClientAuthentication(extensions))
    throw new CertificateProblem('is not for clients (extendedKeyUsage without clientAuth)')
}

function verifyUpwards(device: ForeignCertificate, intermediates: Buffer[], trusted: ParsedCertificate[]) {
  let current = device
  const left = [...intermediates]
  for (let below = 0; ; below++) {
    const { issuer: name } = current.parts
    const anchor = findIssuer(
      current,
      trusted.filter(({ parts }) => parts.subject.equals(name)),
    )
    if (anchor) return verifyLink(current, readIssuer(anchor, 'trusted authority'), below)
    const next = findIssuer(
      current,
      left.filter((der) => readCertificateParts(der).subject.equals(name)).map(parseCertificate),
    )
    if (!next)
      throw new CertificateProblem(
        'does not lead to an authority that the group trusts. Add the authority to manufacturer_cas, or let the device send the certificates between',
      )
    left.splice(left.indexOf(next.der), 1)
    const issuer = readIssuer(next, 'intermediate')
    verifyLink(current, issuer, below)
    current = issuer
  }
}

/**
 * Several authorities may have the same name.
 * @param named those with the name of the issuer
 * @returns the one whose key has signed, else any of them
 */
function findIssuer({ x509 }: ForeignCertificate, named: ParsedCertificate[]): ParsedCertificate | undefined {
  // A key of any other kind or size may take long to verify with.
  const hasSigned = ({ publicKey }: ParsedCertificate) =>
    findKeyKind(publicKey) !== undefined && x509.verify(publicKey)
  return named.find(hasSigned) ?? named[0]
}

function readIssuer(parsed: ParsedCertificate, role: string): AuthorityCertificate {
  try {
    return checkAuthorityCertificate(parsed)
  } catch (error) {
    if (error instanceof CertificateProblem)
      throw new CertificateProblem(
        `was issued by an authority that is not accepted: the ${role} ${error.message}`,
      )
    throw error
  }
}

/** @param below the number of authorities between the device and this issuer */
function verifyLink(certificate: ForeignCertificate, issuer: AuthorityCertificate, below: number) {
  requireSignedBy(certificate, issuer)
  if (issuer.pathLength !== undefined && below > issuer.pathLength)
    throw new CertificateProblem('has more authorities above it than one of them allows (pathLenConstraint)')
}

/** The ids that a certificate names, in the order in which they are tried: common names, then serial numbers. @throws DerError */
export function listNamedIds(leaf: Buffer): string[] {
  const names = readNameParts(readCertificateParts(leaf).subject)
  const listValues = (oid: string) => names.filter((name) => name.oid === oid).map(({ value }) => value)
  return [...listValues(oids.commonName), ...listValues(oids.serialNumber)]
}
