/** An EST client for tests: keys, certificate requests, and requests over TLS with or without a client certificate. */
import 'reflect-metadata'
import { webcrypto, X509Certificate } from 'node:crypto'
import { request } from 'node:https'
import { buffer } from 'node:stream/consumers'
import * as x509 from '@peculiar/x509'
import { readChildren, readDer } from '../../src/lib/der/read-der.ts'
import { deriveKey } from '../../src/onboarding/bootstrap-keys/derive-key.ts'
import { makeGroup, type TestGroup } from './enrollment-group.ts'
import type { Platform } from './platform.ts'

export const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

export type Keys = webcrypto.CryptoKeyPair
export const makeKeys = async (algorithm: object = ecdsa): Promise<Keys> =>
  (await webcrypto.subtle.generateKey(algorithm as typeof ecdsa, true, ['sign', 'verify'])) as Keys

interface RequestFields {
  subject?: string
  keys?: Keys
  algorithm?: object
  extensions?: x509.Extension[]
}

/** @returns a certificate request, DER */
export async function makeRequest(fields: RequestFields = {}): Promise<Buffer> {
  const { subject, keys = await makeKeys(), algorithm = ecdsa, extensions = [] } = fields
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    ...(subject !== undefined && { name: subject }),
    keys,
    signingAlgorithm: algorithm as typeof ecdsa,
    extensions,
  })
  return Buffer.from(made.rawData)
}

export interface EstAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

export interface EstOptions {
  method?: string
  /** DER, which is sent in base64; a string is sent as it is. */
  body?: Buffer | string
  basic?: [deviceId: string, key: string]
  /** The client certificate with the chain above it, and its key; PEM. */
  client?: { cert: string; key: string }
  headers?: Record<string, string>
}

/** @param path after `/.well-known/est/` */
export async function estRequest(
  platform: Platform,
  path: string,
  options: EstOptions = {},
): Promise<EstAnswer> {
  const { body, basic, client, method = body === undefined ? 'GET' : 'POST', headers } = options
  const sent = Buffer.isBuffer(body) ? body.toString('base64') : body
  const url = `${platform.ctx.endpoints.https}/.well-known/est/${path}`
  const all = {
    ...(sent !== undefined && {
      'content-type': 'application/pkcs10',
      'content-length': `${Buffer.byteLength(sent)}`,
    }),
    ...(basic && { authorization: `Basic ${Buffer.from(basic.join(':')).toString('base64')}` }),
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, headers: all, rejectUnauthorized: false, agent: false, ...client },
      (answer) => {
        buffer(answer).then(
          (bytes) => resolve({ status: answer.statusCode!, headers: answer.headers, body: bytes.toString() }),
          reject,
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(sent)
  })
}

/** Reads a "certs-only" answer. */
export function readCertificates({ body }: { body: string }): X509Certificate[] {
  const [, content] = readChildren(readDer(Buffer.from(body, 'base64')))
  const [signedData] = readChildren(content!)
  const certificates = readChildren(signedData!).find(({ tag }) => tag === 0xa0)!
  return readChildren(certificates).map(({ bytes }) => new X509Certificate(bytes))
}

export const exportKey = async ({ privateKey }: Keys): Promise<string> =>
  x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY')

/** A certificate that a device got, ready for TLS. */
export interface EnrolledDevice {
  certificate: X509Certificate
  cert: string
  key: string
  keys: Keys
}

export interface EstGroup extends TestGroup {
  path: string
  configure(settings: object): Promise<void>
  /** Enrols with the bootstrap key. */
  enroll(deviceId: string): Promise<EnrolledDevice>
  derived(deviceId: string): string
}

/** A group that issues certificates. */
export async function makeEstGroup(
  platform: Platform,
  settings: object = {},
  token?: string,
): Promise<EstGroup> {
  const group = await makeGroup(platform, token ? { token } : {})
  const configure = async (changed: object) => {
    const path = `/api/enrollment-groups/${group.groupId}/certificates`
    const { status, body } = await platform.patch(path, changed, token ? { token } : {})
    if (status !== 200) throw new Error(`settings answered ${status}: ${JSON.stringify(body)}`)
  }
  await configure({ enabled: true, ...settings })
  return {
    ...group,
    path: group.groupId,
    configure,
    derived: (deviceId) => deriveKey(Buffer.from(group.bootstrapKey, 'base64'), deviceId),
    async enroll(deviceId) {
      const keys = await makeKeys()
      const answer = await estRequest(platform, `${group.groupId}/simpleenroll`, {
        body: await makeRequest({ keys }),
        basic: [deviceId, group.bootstrapKey],
      })
      if (answer.status !== 200) throw new Error(`simpleenroll answered ${answer.status}: ${answer.body}`)
      const certificate = readCertificates(answer)[0]!
      return { certificate, cert: certificate.toString(), key: await exportKey(keys), keys }
    },
  }
}
