/** Allows browser applications of the origins that the operator lists to call the API. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from './errors.ts'

/** `*` alone stands for every origin. */
export type CorsOrigins = readonly string[]

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
/** Headers that a browser shows to scripts only if the server lists them. */
const EXPOSED = [
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Link',
  'Retry-After',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ')
/** The longest time for which Chromium caches the answer to a preflight request. */
const MAX_AGE_SECONDS = 7200

/**
 * Must come before the hooks that refuse, so that errors have the headers too and a browser shows the reason. A preflight request has
 * no credentials and is answered here, before authentication.
 */
export function allowOrigins(app: FastifyInstance, origins: CorsOrigins): void {
  if (origins.length === 0) return
  app.addHook('onRequest', (request, reply, done) => {
    setCorsHeaders(request, reply, origins)
    const { method, headers } = request
    if (method !== 'OPTIONS' || !headers.origin || !headers['access-control-request-method']) return done()
    if (!isAllowed(headers.origin, origins)) return done(refuseOrigin(headers.origin))
    const asked = headers['access-control-request-headers']
    reply
      .headers({
        'access-control-allow-methods': METHODS,
        'access-control-max-age': MAX_AGE_SECONDS,
        // Every header is allowed: the server ignores those that it does not know.
        ...(asked && { 'access-control-allow-headers': asked }),
      })
      .code(204)
      .send()
  })
}

/**
 * Credentials (cookies) are never allowed: a script authenticates with the header Authorization, so that a page of
 * another origin can do no more than its token allows.
 */
export function setCorsHeaders({ headers }: FastifyRequest, reply: FastifyReply, origins: CorsOrigins): void {
  if (origins.length === 0) return
  const isOpen = origins[0] === '*'
  // A cache must not hand the answer for one origin to another.
  if (!isOpen) reply.header('vary', 'Origin')
  if (headers.origin === undefined || !isAllowed(headers.origin, origins)) return
  reply.header('access-control-allow-origin', isOpen ? '*' : headers.origin)
  reply.header('access-control-expose-headers', EXPOSED)
}

const isAllowed = (origin: string, origins: CorsOrigins) => origins[0] === '*' || origins.includes(origin)

const refuseOrigin = (origin: string) =>
  new ApiError(
    'forbidden',
    `Scripts of the origin ${origin.slice(0, 256)} may not call this server. Its operator lists origins in GANGWAY_CORS_ORIGINS.`,
  )
