/** The operator's own certificate. Files that cannot work are refused with the variable that names them. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { findTextFile } from '../lib/find-text-file.ts'

export interface ServerCertificate {
  /** PEM; the server's own certificate, then those of its issuers. */
  cert: string
  /** PEM. */
  key: string
}

export class CertificateError extends Error {
  override name = 'CertificateError'
}

const CERT = 'GANGWAY_MQTTS_CERT_FILE'
const KEY = 'GANGWAY_MQTTS_KEY_FILE'

/** @throws CertificateError */
export async function loadGivenCertificate(certFile: string, keyFile: string): Promise<ServerCertificate> {
  const cert = await readGiven(CERT, certFile)
  const key = await readGiven(KEY, keyFile)
  const certificate = parseCertificate(cert, certFile)
  if (!certificate.checkPrivateKey(parseKey(key, keyFile)))
    throw new CertificateError(
      `${KEY}: ${keyFile} is not the key of the certificate in ${certFile} (${CERT}).`,
    )
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new CertificateError(`${CERT}: ${certFile} cannot be used for TLS (${(error as Error).message}).`)
  }
  return { cert, key }
}

async function readGiven(variable: string, path: string): Promise<string> {
  const text = await findTextFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new CertificateError(
      `${variable}: ${path} cannot be read (${reasons[error.code!] ?? error.message}).`,
    )
  })
  if (text === undefined) throw new CertificateError(`${variable}: there is no file ${path}.`)
  return text
}

const reasons: Record<string, string> = {
  EISDIR: 'it is a directory',
  EACCES: 'this user may not read it',
  ENOTDIR: 'something above it is no directory',
}

/** The first certificate of a chain is the server's own. */
function parseCertificate(pem: string, path: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch {
    throw new CertificateError(`${CERT}: ${path} holds no certificate in PEM.`)
  }
}

function parseKey(pem: string, path: string): KeyObject {
  if (/ENCRYPTED/.test(pem))
    throw new CertificateError(
      `${KEY}: the key in ${path} is encrypted. Store it without a passphrase (openssl pkey -in … -out …), readable by the server alone.`,
    )
  try {
    return createPrivateKey(pem)
  } catch {
    throw new CertificateError(`${KEY}: ${path} holds no private key in PEM.`)
  }
}
