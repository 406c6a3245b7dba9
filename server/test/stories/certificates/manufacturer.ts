/** Certificate authorities of a manufacturer, and the certificates that it puts into devices. */
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 86_400_000

export interface Holder {
  certificate: X509Certificate
  privateKey: webcrypto.CryptoKey
  /** PEM */
  cert: string
  /** PEM */
  key: string
}

export interface HolderOptions {
  name: string
  /** Default: signed with its own key. */
  issuer?: Holder
  isAuthority?: boolean
  /** Days from now. */
  expiresInDays?: number
  /** The digest of the signature. Default SHA-256. */
  hash?: 'SHA-1'
}

export async function makeHolder(options: HolderOptions): Promise<Holder> {
  const { name, issuer, isAuthority = false, expiresInDays = 365, hash = 'SHA-256' } = options
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const extensions: Extension[] = [new BasicConstraintsExtension(isAuthority, undefined, true)]
  if (isAuthority) extensions.push(new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true))
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: issuer?.certificate.subject ?? `CN=${name}`,
    publicKey: keys.publicKey,
    signingKey: issuer?.privateKey ?? keys.privateKey,
    signingAlgorithm: { ...algorithm, hash },
    notBefore: new Date(Date.now() + Math.min(-1, expiresInDays - 1) * DAY_MS),
    notAfter: new Date(Date.now() + expiresInDays * DAY_MS),
    extensions,
  })
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const lines = pkcs8.match(/.{1,64}/g)?.join('\n')
  return {
    certificate,
    privateKey: keys.privateKey,
    cert: `${certificate.toString('pem')}\n`,
    key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
  }
}
