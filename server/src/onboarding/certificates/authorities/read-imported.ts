/** Reads an issuing authority that a tenant brings along: its key, and its certificates up to the root. */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { validationError } from '../../../http/errors.ts'
import { DerError } from '../../../lib/der/read-der.ts'
import { CertificateProblem } from '../certificate-problem.ts'
import { ACCEPTED_KEYS, findKeyKind } from '../key-algorithms.ts'
import {
  type AuthorityCertificate,
  isIssuedBy,
  isSelfSigned,
  readAuthorityCertificate,
  requireSignedBy,
} from '../read-authority-certificate.ts'
import { readPem } from '../read-pem.ts'
import { findKeyIdentifier } from './authority.ts'
import { CRL_SIGN, readKeyUsage } from '../read-extensions.ts'

const MAX_CERTIFICATES = 6
const DAY_MS = 24 * 3600 * 1000

export interface ImportedAuthority {
  subject: string
  certificate: Buffer
  chain: Buffer[]
  not_before: Date
  not_after: Date
  privateKey: KeyObject
}

/**
 * @param certificates PEM, the issuing one first and the root last
 * @param privateKey PEM, not encrypted
 * @throws validation_error
 */
export function readImportedAuthority(certificates: string, privateKey: string): ImportedAuthority {
  const chain = readChain(certificates)
  const [issuing, ...issuers] = chain
  const key = readKey(privateKey)
  if (!issuing!.x509.checkPrivateKey(key)) throw refuseKey('is not the key of the first certificate')
  return {
    subject: issuing!.x509.subject.replaceAll('\n', ', ').slice(0, 500),
    certificate: issuing!.der,
    chain: issuers.map(({ der }) => der),
    not_before: issuing!.notBefore,
    not_after: issuing!.notAfter,
    privateKey: key,
  }
}

const refuseKey = (message: string) => validationError({ path: 'privateKey', message })

function readKey(pem: string): KeyObject {
  if (/ENCRYPTED/.test(pem))
    throw refuseKey('is encrypted. Remove its passphrase with `openssl pkey`; the platform seals it')
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw refuseKey('is no private key in PEM')
  }
  if (!findKeyKind(key)) throw refuseKey(`is not accepted. Use ${ACCEPTED_KEYS}`)
  return key
}

function readChain(text: string): AuthorityCertificate[] {
  let position = 0
  try {
    const certificates = readPem(text)
    if (certificates.length > MAX_CERTIFICATES)
      throw new CertificateProblem(`has more than ${MAX_CERTIFICATES} certificates`)
    const chain = certificates.map((der, index) => {
      position = index + 1
      return readAuthorityCertificate(der)
    })
    chain.forEach((certificate, index) => {
      position = index + 1
      checkLink(certificate, chain[index + 1], index)
    })
    position = 1
    checkIssuing(chain[0]!)
    return chain
  } catch (error) {
    if (!(error instanceof CertificateProblem || error instanceof DerError)) throw error
    const which = position === 0 ? '' : `certificate ${position} `
    throw validationError({ path: 'certificates', message: `${which}${error.message}` })
  }
}

/** @param below the number of authorities below the certificate */
function checkLink(
  certificate: AuthorityCertificate,
  issuer: AuthorityCertificate | undefined,
  below: number,
) {
  // The path length counts the authorities below, without the device.
  if (certificate.pathLength !== undefined && certificate.pathLength < below)
    throw new CertificateProblem('does not allow as many authorities below it (pathLenConstraint)')
  if (!issuer) {
    if (!isSelfSigned(certificate))
      throw new CertificateProblem('is not a root. Add the certificates above it, up to the root')
    return requireSignedBy(certificate, certificate)
  }
  if (!isIssuedBy(certificate, issuer))
    throw new CertificateProblem('was not issued by the next one. Put each issuer after its certificate')
  requireSignedBy(certificate, issuer)
}

function checkIssuing({ notAfter, parts }: AuthorityCertificate) {
  if (notAfter.getTime() < Date.now() + DAY_MS)
    throw new CertificateProblem('expires within a day, and its certificates with it')
  if ((readKeyUsage(parts.extensions) & CRL_SIGN) === 0)
    throw new CertificateProblem('may not sign revocation lists (keyUsage without cRLSign)')
  // Each certificate that it issues names it.
  findKeyIdentifier(parts)
}
