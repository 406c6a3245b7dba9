import type { KeyObject } from 'node:crypto'
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { createCertificateRequest } from './certificate-request.ts'

/** A private key with its certificate request and, once it is issued, its certificate. Stored as one PEM text. */
export interface KeyPair {
  privateKey: KeyObject
  /** PKCS#10 in DER. Repeating the same request gets the same certificate. */
  request: Buffer
  /** The device's certificate first, then its issuers. Empty until it is issued. */
  certificates: X509Certificate[]
}

const PEM_BLOCK = /-----BEGIN ([A-Z ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/g

export function createKeyPair(deviceId: string): KeyPair {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, request: createCertificateRequest(deviceId, privateKey), certificates: [] }
}

/**
 * Puts the certificate of the pair's key first, whatever the order of the answer.
 * Throws if it is missing or names another device.
 */
export function addCertificates(pair: KeyPair, answer: X509Certificate[], deviceId: string): KeyPair {
  const own = answer.find((certificate) => certificate.checkPrivateKey(pair.privateKey))
  if (!own) throw new Error("the answer has no certificate for the device's key")
  if (!own.subject.split('\n').includes(`CN=${deviceId}`))
    throw new Error(
      `the certificate is not for ${deviceId}: its subject is ${own.subject.replaceAll('\n', ', ')}`,
    )
  return { ...pair, certificates: [own, ...answer.filter((certificate) => certificate !== own)] }
}

export const keyPem = ({ privateKey }: KeyPair): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

export const certificatePem = ({ certificates }: KeyPair): string =>
  certificates.map((certificate) => certificate.toString()).join('')

/** The key first, then the certificates, as OpenSSL and most servers read a file with both; the request stands last. */
export const encodeKeyPair = (pair: KeyPair): string =>
  keyPem(pair) + certificatePem(pair) + toPem('CERTIFICATE REQUEST', pair.request)

/** Null if the text is damaged: a device then enrolls again instead of failing at each start. */
export function decodeKeyPair(text: string): KeyPair | null {
  try {
    const blocks = [...text.matchAll(PEM_BLOCK)]
    const find = (type: string) => blocks.filter(([, name]) => name === type)
    const [[key] = []] = find('PRIVATE KEY')
    const [[, , request] = []] = find('CERTIFICATE REQUEST')
    if (!key || !request) return null
    const privateKey = createPrivateKey(key)
    const certificates = find('CERTIFICATE').map(([pem]) => new X509Certificate(pem))
    if (certificates[0] && !certificates[0].checkPrivateKey(privateKey)) return null
    return { privateKey, request: Buffer.from(request, 'base64'), certificates }
  } catch {
    return null
  }
}

function toPem(type: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${type}-----\n${lines.join('\n')}\n-----END ${type}-----\n`
}
