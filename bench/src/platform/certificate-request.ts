import { generateKeyPairSync, sign } from 'node:crypto'
import {
  bitString,
  objectIdentifier,
  sequence,
  smallInteger,
  tagged,
} from '@gangway/server/dist/lib/der/write-der.js'

const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'))

/** A PKCS #10 request for a new P-256 key. @returns DER */
export function makeCertificateRequest(): Buffer {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const info = sequence(smallInteger(0), sequence(), key, tagged(0xa0))
  return sequence(info, ECDSA_WITH_SHA256, bitString(sign('sha256', info, privateKey)))
}
