import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { Socket } from 'node:net'

/** The certificates above that of the device which are looked at. */
const MAX_CHAIN = 5

export interface PeerCertificate {
  /** DER. TLS has proved that the client holds its key, and nothing else. */
  leaf: Buffer
  /** The certificates that the client sent after its own; DER. */
  intermediates: Buffer[]
}

export const isTls = (socket: Socket): socket is TLSSocket =>
  'encrypted' in socket && socket.encrypted === true

/** @returns undefined if the client sent no certificate */
export function readPeerCertificate(socket: TLSSocket): PeerCertificate | undefined {
  const leaf = socket.getPeerCertificate(true)
  // Without a certificate it is an empty object.
  if (!leaf?.raw) return undefined
  const chain: Buffer[] = []
  let current: DetailedPeerCertificate | undefined = leaf
  // A self-signed certificate is its own issuer.
  while (current?.raw && chain.length < MAX_CHAIN && !chain.some((der) => der.equals(current!.raw))) {
    chain.push(current.raw)
    current = current.issuerCertificate
  }
  return { leaf: leaf.raw, intermediates: chain.slice(1) }
}
