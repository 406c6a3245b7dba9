/** Passes requests for a WebSocket to the part of the server that serves their path. */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError, errorBody, notFound } from './errors.ts'
import { NO_SNIFFING } from './no-sniffing.ts'
import type { HttpOptions } from './options.ts'
import { findRemoteAddress } from './remote-address.ts'

export interface Upgrade {
  request: IncomingMessage
  stream: Duplex
  /** Address of the client, also behind trusted proxies. */
  remoteAddress: string | undefined
  /** The first bytes of the client that follow its request. */
  head: Buffer
}

export interface Upgrades {
  /** @returns a function that ends it: later requests for the paths are not found */
  serve(paths: string[], handle: (upgrade: Upgrade) => void): () => void
}

export function createUpgrades(
  server: Server,
  { trustProxy, requests }: Pick<HttpOptions, 'trustProxy' | 'requests'>,
): Upgrades {
  const handlers = new Map<string, (upgrade: Upgrade) => void>()
  server.on('upgrade', (request, stream, head) => {
    // Nothing else handles the error of a client that disconnects meanwhile.
    stream.on('error', () => stream.destroy())
    const path = (request.url ?? '/').split('?', 1)[0]!
    const handle = handlers.get(path)
    const remoteAddress = findRemoteAddress(request, trustProxy)
    if (handle) handle({ request, stream, remoteAddress, head })
    else refuseUpgrade(stream, notFound('WebSocket', path), requests?.addressHeaders(remoteAddress ?? ''))
  })
  return {
    serve(paths, handle) {
      for (const path of paths) handlers.set(path, handle)
      return () => paths.forEach((path) => handlers.delete(path))
    },
  }
}

/** Answers in the platform's shape of errors, and closes the connection. */
export function refuseUpgrade(stream: Duplex, thrown: unknown, headers: Record<string, string> = {}): void {
  const error =
    thrown instanceof ApiError
      ? thrown
      : new ApiError('unavailable', 'The connection cannot be opened now. Try again.')
  const body = JSON.stringify(errorBody(error, 'platform'))
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries({ ...NO_SNIFFING, ...headers }).map(([name, value]) => `${name}: ${value}`),
    ...(error.code === 'unauthorized' ? ['www-authenticate: Bearer'] : []),
    ...(error.retryAfterSeconds === undefined ? [] : [`retry-after: ${error.retryAfterSeconds}`]),
  ]
  stream.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => stream.destroy())
}
