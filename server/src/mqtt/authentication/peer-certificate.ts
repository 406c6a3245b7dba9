/** The certificate with which a device connected. TLS has verified that the device has its key, and nothing else. */
import { createHash, type X509Certificate } from 'node:crypto'
import type { Duplex } from 'node:stream'

/** Ids of devices and tenants are not longer. */
const MAX_CHARACTERS = 128

/** A TLS socket, or a stream over one. */
export interface PeerStream {
  getPeerX509Certificate?(): X509Certificate | undefined
}

export interface PeerCertificate {
  /** SHA-256 of its DER. */
  fingerprint: Buffer
  /** CN and OU; undefined unless there is exactly one of at most 128 characters. */
  commonName: string | undefined
  organizationalUnit: string | undefined
}

/** @returns undefined without TLS, or if the device showed no certificate. A resumed TLS session has the first one's */
export function findPeerCertificate(stream: Duplex & PeerStream): PeerCertificate | undefined {
  const certificate = stream.getPeerX509Certificate?.()
  if (!certificate) return undefined
  // One attribute in a line.
  const attributes = certificate.subject?.split('\n') ?? []
  return {
    fingerprint: createHash('sha256').update(certificate.raw).digest(),
    commonName: findAttribute(attributes, 'CN='),
    organizationalUnit: findAttribute(attributes, 'OU='),
  }
}

function findAttribute(attributes: string[], prefix: string): string | undefined {
  const values = attributes.filter((attribute) => attribute.startsWith(prefix))
  const value = values.length === 1 ? values[0]!.slice(prefix.length) : ''
  return value !== '' && value.length <= MAX_CHARACTERS ? value : undefined
}
