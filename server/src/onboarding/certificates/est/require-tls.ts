import type { TLSSocket } from 'node:tls'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../../http/errors.ts'
import type { Runtime } from '../../../runtime.ts'
import { isTls } from './peer-certificate.ts'

export type Addresses = Pick<Runtime, 'config' | 'endpoints'>

/** @throws forbidden for a request over plain HTTP, with the address to use instead */
export function requireTls({ raw: { socket } }: FastifyRequest, addresses: Addresses): TLSSocket {
  if (isTls(socket)) return socket
  throw new ApiError(
    'forbidden',
    `Devices enrol over TLS only: use ${httpsAddress(addresses)}. Verify it with the certificate at /v1/ca.crt.`,
  )
}

/** The port is that of this server; a proxy in front may show another. */
function httpsAddress({ config, endpoints }: Addresses): string {
  const address = new URL(endpoints.https ?? 'https://localhost:8443')
  if (config.publicUrl) address.hostname = new URL(config.publicUrl).hostname
  return address.origin
}
