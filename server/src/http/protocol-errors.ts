/** Answers requests that are malformed before routing, in the same shape as all other errors. */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { UNSTORABLE_TEXT } from '../lib/json-limits.ts'
import { ApiError, errorBody, validationError } from './errors.ts'
import { NO_SNIFFING } from './no-sniffing.ts'
import { findApi } from './route.ts'
import type { HttpOptions } from './options.ts'
import { findApiOfPath } from './unknown-paths.ts'

/** Time until the socket is destroyed: a client that is still sending would lose the answer if it were closed at once. */
const LINGER_MS = 1000

/** Fastify's type of `rawPacket` is wrong: Node passes the bytes that it could not parse. */
type ClientError = Error & { code?: string; rawPacket?: unknown }

/** Handles bytes that are not HTTP and headers over Node's limit: there is no request object, and the connection closes. */
export const clientErrorHandler =
  ({ routes, requests }: HttpOptions) =>
  (error: ClientError, socket: Socket): void => {
    const answering = (socket as { _httpMessage?: ServerResponse })._httpMessage
    if (error.code === 'ECONNRESET' || !socket.writable || answering?.headersSent) {
      socket.destroy()
      return
    }
    const path = /^[A-Z]+ (\S+)/.exec(String(error.rawPacket ?? ''))?.[1]
    const isOnboarding = routes.every((route) => findApi(route) === 'onboarding')
    const api = isOnboarding ? 'onboarding' : findApiOfPath(path ?? '/')
    const limits = api === 'platform' ? requests?.addressHeaders(socket.remoteAddress ?? '') : {}
    const refusal = fromNode(error)
    const body = JSON.stringify(errorBody(refusal, api))
    const headers = {
      connection: 'close',
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      ...NO_SNIFFING,
      ...limits,
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`)
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }

function fromNode({ code }: ClientError): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('headers_too_large', 'Path and headers together must not exceed 16 KiB.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError(
        'request_timeout',
        'The headers did not arrive within a minute. Send the request again.',
      )
    case 'HPE_INVALID_METHOD':
      return validationError({ path: 'method', message: 'is no HTTP method' })
    default:
      return validationError({ path: 'request', message: `is not HTTP (${code ?? 'unknown'})` })
  }
}

/** Ignores unknown `Expect` headers; Node would answer 417 without a body. */
export function ignoreExpectations(app: FastifyInstance): void {
  app.server.on('checkExpectation', app.routing)
}

/** Refuses malformed requests that reach Fastify, among them a NUL in the path, whose ids go to the database before validation. */
export function refuseMalformed(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw, headers, url }, _reply, done) => {
    // Node itself would answer without a body.
    if (raw.httpVersion === '1.1' && headers.host === undefined)
      return done(validationError({ path: 'host', message: 'is missing: HTTP/1.1 takes a Host header' }))
    const nul = url.indexOf('%00')
    if (nul === -1) return done()
    const path = url.lastIndexOf('?', nul) === -1 ? 'path' : 'query'
    done(validationError({ path, message: `holds ${UNSTORABLE_TEXT}` }))
  })
}
