/** A small EST server and a broker that accepts its certificates, with the platform's rule for renewed ones. */
import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { encodeDer } from '../src/certificates/der.ts'
import type { TestBroker } from './broker.ts'
import { startBroker } from './broker.ts'
import type { Authority } from './certificate.ts'
import { selfSignedCertificate } from './certificate.ts'

export const DAY_MS = 86_400_000
export const LIFE_MS = 90 * DAY_MS

export interface EstReply {
  status: number
  headers?: Record<string, string>
  body: string
}

export interface EstRequest {
  operation: string
  /** Basic credentials, or the serial number of the client's certificate. */
  identity: string
  /** PKCS#10 in base64. */
  csr: string
}

export interface EstPlatform extends AsyncDisposable {
  estUrl: string
  /** The trusted authority, PEM. */
  ca: string
  broker: TestBroker
  requests: EstRequest[]
  /** Serial numbers, oldest first. */
  issued: string[]
  /** Serial numbers of accepted sessions, in order. */
  connected: string[]
  /** Answers instead of certificates, one a request, as long as there are any. */
  replies: EstReply[]
  /** Whether the broker refuses this certificate. */
  refuses: (serialNumber: string) => boolean
}

interface State {
  authority: Authority
  now: () => number
  platform: EstPlatform
  /** Issued certificates by request: a repeated request gets the same one. */
  byRequest: Map<string, Buffer>
}

/** @param now the platform's time */
export async function startEstPlatform(now: () => number): Promise<EstPlatform> {
  const authority = await selfSignedCertificate()
  const tls = { cert: authority.cert, key: authority.key, requestCert: true, rejectUnauthorized: false }
  const server = createServer(tls, (request, response) => {
    void answer(state, request).then(({ status, headers, body }) => {
      response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers })
      response.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const broker = await startBroker({
    tls,
    authenticate: (_login, certificate) => (acceptsSession(platform, certificate) ? 0 : 5),
  })
  const platform: EstPlatform = {
    estUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}/.well-known/est/group`,
    ca: authority.cert,
    broker,
    requests: [],
    issued: [],
    connected: [],
    replies: [],
    refuses: () => false,
    async [Symbol.asyncDispose]() {
      await broker.stop()
      server.close()
      server.closeAllConnections()
    },
  }
  const state: State = { authority, now, platform, byRequest: new Map() }
  return platform
}

/** A certificate is superseded once a newer one has connected. */
function acceptsSession(platform: EstPlatform, certificate: X509Certificate | undefined): boolean {
  const { issued, connected } = platform
  const serial = certificate?.serialNumber ?? ''
  const newest = Math.max(-1, ...connected.map((number) => issued.indexOf(number)))
  if (!issued.includes(serial) || issued.indexOf(serial) < newest || platform.refuses(serial)) return false
  connected.push(serial)
  return true
}

async function answer(state: State, request: IncomingMessage): Promise<EstReply> {
  const { platform } = state
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const csr = Buffer.concat(chunks).toString()
  const operation = request.url?.split('/').at(-1) ?? ''
  platform.requests.push({ operation, identity: readIdentity(request), csr })
  const reply = platform.replies.shift()
  if (reply) return reply
  const certificate = state.byRequest.get(csr) ?? (await issue(state, csr))
  const headers = { 'content-type': 'application/pkcs7-mime', 'content-transfer-encoding': 'base64' }
  const body = certificatesOnly(certificate).toString('base64').replaceAll(/.{64}/g, '$&\r\n')
  return { status: 200, headers, body }
}

function readIdentity(request: IncomingMessage): string {
  const certificate = (request.socket as TLSSocket).getPeerX509Certificate()
  if (certificate) return certificate.serialNumber
  const [, basic = ''] = (request.headers.authorization ?? '').split(' ')
  return Buffer.from(basic, 'base64').toString()
}

async function issue({ authority, now, platform, byRequest }: State, csr: string): Promise<Buffer> {
  const serialNumber = (0x10 + platform.issued.length).toString(16).toUpperCase()
  // Certificates have no milliseconds.
  const notBefore = new Date(Math.floor(now() / 1_000) * 1_000)
  const notAfter = new Date(notBefore.getTime() + LIFE_MS)
  const request = Buffer.from(csr, 'base64')
  const certificate = await authority.issue(request, { notBefore, notAfter, serialNumber })
  platform.issued.push(serialNumber)
  byRequest.set(csr, certificate)
  return certificate
}

/** A PKCS#7 message without signatures that holds one certificate. */
export function certificatesOnly(certificate: Buffer): Buffer {
  const objectId = (hex: string) => encodeDer(0x06, Buffer.from(hex, 'hex'))
  const signedData = encodeDer(
    0x30,
    encodeDer(0x02, Buffer.of(1)),
    encodeDer(0x31),
    encodeDer(0x30, objectId('2a864886f70d010701')),
    encodeDer(0xa0, certificate),
    encodeDer(0x31),
  )
  return encodeDer(0x30, objectId('2a864886f70d010702'), encodeDer(0xa0, signedData))
}
