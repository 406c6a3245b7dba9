/** Answers requests without a route: 404, or 405 if the path exists with other methods. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findNearestName } from '../lib/nearest.ts'
import { ApiError } from './errors.ts'
import { findApi, type Route, listUrls } from './route.ts'
import type { HttpOptions } from './options.ts'

const MAX_SHOWN_CHARACTERS = 256

export function refuseUnknownPaths(app: FastifyInstance, options: HttpOptions): void {
  const paths = knownPaths(options.routes)
  // Before the body is read, since no handler needs it.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 && !hasEmptySegment(request)) return done()
    countUnknown(request, reply, options)
      .then(() => refuse(request, reply, paths))
      .catch(done)
  })
}

interface Path {
  method: string
  url: string
  pattern: RegExp
}

function refuse({ method, originalUrl }: FastifyRequest, reply: FastifyReply, paths: Path[]): never {
  const path = originalUrl.split('?')[0]!
  const shown = path.slice(0, MAX_SHOWN_CHARACTERS)
  const methods = paths.filter(({ pattern }) => pattern.test(path)).map((known) => known.method)
  if (methods.length === 0) throw unknownPath(`${method} ${shown}`, nearestPath(path, paths))
  const allow = [...new Set(methods.flatMap((known) => (known === 'GET' ? ['GET', 'HEAD'] : known)))]
  reply.header('allow', allow.join(', '))
  throw new ApiError('method_not_allowed', `${shown} takes ${allow.join(', ')}, not ${method}.`, { allow })
}

const unknownPath = (asked: string, nearest: string | undefined) =>
  new ApiError('not_found', `There is no route ${asked}.${nearest ? ` Did you mean ${nearest}?` : ''}`)

/** Whether a trailing or double slash stands for an empty id; not if the route's own path ends with a slash or takes any rest. */
const hasEmptySegment = ({ url, routeOptions }: FastifyRequest) =>
  /[^/]\/(\/|$)/.test(url.split('?')[0]!) && !/[/*]$/.test(routeOptions.url ?? '')

/**
 * Repairs common mistakes: extra slashes, another version, the prefix of the other API. If no route has such a path,
 * it is the most similar path without ids.
 */
function nearestPath(path: string, paths: Path[]): string | undefined {
  const parts = path.split('/').filter(Boolean)
  while (/^(api|v\d+)$/i.test(parts[0] ?? '')) parts.shift()
  if (parts.length === 0 || path.length > MAX_SHOWN_CHARACTERS) return undefined
  const rest = `/${parts.join('/')}`
  const repaired = [path.replaceAll(/\/+/g, '/').replace(/\/$/, ''), `/v1${rest}`, `/api${rest}`, rest]
  const candidates = repaired.flatMap((candidate) => [candidate, candidate.toLowerCase()])
  const fixed = paths.map(({ url }) => url).filter((url) => !/[{*]/.test(url) && url !== '/')
  // An id is missing in the middle, so the segment after it is not an id.
  const isIdMissing = /[^/]\/\/[^/]/.test(path)
  const isKnown = (candidate: string) =>
    isIdMissing ? fixed.includes(candidate) : paths.some(({ pattern }) => pattern.test(candidate))
  const known = candidates.find(isKnown)
  return known ?? findNearestName(`/v1${rest}`, fixed) ?? findNearestName(path, fixed)
}

const knownPaths = (routes: Route[]): Path[] =>
  routes.flatMap((route) =>
    listUrls(route).map((url) => ({ method: route.method, url, pattern: pathPattern(url) })),
  )

const pathPattern = (url: string) =>
  new RegExp(
    `^${url
      .replaceAll('.', '\\.')
      .replace(/\*$/, '.*')
      .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
  )

/** Counts a request to an unknown path against the rate limit of its caller, like a request to a known path. */
async function countUnknown(request: FastifyRequest, reply: FastifyReply, { guards, requests }: HttpOptions) {
  if (!requests || findApiOfPath(request.url) === 'onboarding') return
  if (request.headers.authorization)
    request.caller = await guards.user({ kind: 'user' }, request).catch(() => null)
  await requests.count(request, reply)
}

/** Also for a path without a route. */
export const findApiOfPath = (url: string): 'onboarding' | 'platform' =>
  findApi({ url: url.split('?')[0]! }) === 'onboarding' ? 'onboarding' : 'platform'
