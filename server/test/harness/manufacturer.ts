/** A manufacturer for tests: a root, an intermediate authority, and certificates that are put into devices. */
import 'reflect-metadata'
import type { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { ecdsa, exportKey, type Keys, makeKeys } from './est-client.ts'

const DAY_MS = 24 * 3600 * 1000
const { keyCertSign, cRLSign, digitalSignature } = x509.KeyUsageFlags

export interface Signed {
  certificate: x509.X509Certificate
  keys: Keys
  pem: string
}

interface Fields {
  subject?: string
  /** Absent for a root. */
  issuer?: Signed
  keys?: Keys
  ca?: boolean
  pathLength?: number
  notBefore?: Date
  notAfter?: Date
  hash?: string
  extensions?: x509.Extension[]
}

export async function makeCertificate(fields: Fields): Promise<Signed> {
  const { issuer, subject = 'CN=Someone', ca = false, pathLength, hash = 'SHA-256' } = fields
  const keys = fields.keys ?? (await makeKeys())
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: issuer?.certificate.subject ?? subject,
    notBefore: fields.notBefore ?? new Date(Date.now() - DAY_MS),
    notAfter: fields.notAfter ?? new Date(Date.now() + 365 * DAY_MS),
    signingAlgorithm: { ...ecdsa, hash },
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey as webcrypto.CryptoKey,
    extensions: [
      new x509.BasicConstraintsExtension(ca, pathLength, true),
      new x509.KeyUsagesExtension(ca ? keyCertSign | cRLSign : digitalSignature, true),
      ...(fields.extensions ?? []),
    ],
  })
  return { certificate, keys, pem: certificate.toString('pem') }
}

export interface Manufacturer {
  root: Signed
  intermediate: Signed
  /** @returns the client of TLS; by default the device sends the intermediate with its certificate */
  makeDevice(fields?: Fields, chain?: Signed[]): Promise<{ cert: string; key: string }>
}

export async function makeManufacturer(name = 'Pumps Inc'): Promise<Manufacturer> {
  const root = await makeCertificate({ subject: `CN=${name} Root`, ca: true })
  const intermediate = await makeCertificate({
    subject: `CN=${name} Factory`,
    ca: true,
    pathLength: 0,
    issuer: root,
  })
  return {
    root,
    intermediate,
    async makeDevice(fields = {}, chain = [intermediate]) {
      const { pem, keys } = await makeCertificate({ issuer: intermediate, ...fields })
      return { cert: [pem, ...chain.map((each) => each.pem)].join('\n'), key: await exportKey(keys) }
    },
  }
}
