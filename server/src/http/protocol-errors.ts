/** What is wrong with a request before any route sees it, answered in the same shape as every other refusal. */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { UNSTORABLE_TEXT } from '../lib/json-limits.ts'
import { ApiError, errorBody, validationError } from './errors.ts'
import { apiOf } from './route.ts'
import type { HttpOptions } from './options.ts'
import { apiOfPath } from './unknown-paths.ts'

/** A connection that is closed while its client still sends loses the answer. */
const LINGER_MS = 1000

/** Fastify's type of `rawPacket` is wrong: Node hands over the bytes that it could not read. */
type ClientError = Error & { code?: string; rawPacket?: unknown }

/** Bytes that are no HTTP, or more headers than Node reads: there is no request, and the connection ends. */
export const clientErrorHandler =
  ({ routes, requests }: HttpOptions) =>
  (error: ClientError, socket: Socket): void => {
    const answering = (socket as { _httpMessage?: ServerResponse })._httpMessage
    if (error.code === 'ECONNRESET' || !socket.writable || answering?.headersSent) {
      socket.destroy()
      return
    }
    const path = /^[A-Z]+ (\S+)/.exec(String(error.rawPacket ?? ''))?.[1]
    const isOnboarding = routes.every((route) => apiOf(route) === 'onboarding')
    const api = isOnboarding ? 'onboarding' : apiOfPath(path ?? '/')
    const limits = api === 'platform' ? requests?.headersOf(socket.remoteAddress ?? '') : {}
    const refusal = fromNode(error)
    const body = JSON.stringify(errorBody(refusal, api))
    const headers = {
      connection: 'close',
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
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

/** Expectations that Node does not know; it would answer 417 without a body. */
export function ignoreExpectations(app: FastifyInstance): void {
  app.server.on('checkExpectation', app.routing)
}

/** Requests that reach Fastify and are nevertheless no requests; ids of the path go to the database before they are checked. */
export function refuseMalformed(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw, headers, url }, _reply, done) => {
    // Node would answer this without a body.
    if (raw.httpVersion === '1.1' && headers.host === undefined)
      return done(validationError({ path: 'host', message: 'is missing: HTTP/1.1 takes a Host header' }))
    const nul = url.indexOf('%00')
    if (nul === -1) return done()
    const path = url.lastIndexOf('?', nul) === -1 ? 'path' : 'query'
    done(validationError({ path, message: `holds ${UNSTORABLE_TEXT}` }))
  })
}
