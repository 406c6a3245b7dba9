/** Requests that no route answers: 404, or 405 where the path exists with other methods. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { nearestName } from '../lib/nearest.ts'
import { ApiError } from './errors.ts'
import { apiOf, type Route, urlsOf } from './route.ts'
import type { HttpOptions } from './options.ts'

const MAX_SHOWN_CHARACTERS = 256

export function refuseUnknownPaths(app: FastifyInstance, options: HttpOptions): void {
  const paths = knownPaths(options.routes)
  // Before the body is read: whatever it holds, there is nobody to read it.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 && !lacksId(request)) return done()
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

function refuse({ method, url }: FastifyRequest, reply: FastifyReply, paths: Path[]): never {
  const path = url.split('?')[0]!
  const shown = path.slice(0, MAX_SHOWN_CHARACTERS)
  const methods = paths.filter(({ pattern }) => pattern.test(path)).map((known) => known.method)
  if (methods.length === 0) throw unknownPath(`${method} ${shown}`, nearestPath(path, paths))
  const allow = [...new Set(methods.flatMap((known) => (known === 'GET' ? ['GET', 'HEAD'] : known)))]
  reply.header('allow', allow.join(', '))
  throw new ApiError('method_not_allowed', `${shown} takes ${allow.join(', ')}, not ${method}.`, { allow })
}

const unknownPath = (asked: string, nearest: string | undefined) =>
  new ApiError('not_found', `There is no route ${asked}.${nearest ? ` Did you mean ${nearest}?` : ''}`)

/** A trailing or doubled slash would be an empty id, unless the route itself is written with it. */
const lacksId = ({ url, routeOptions }: FastifyRequest) =>
  /[^/]\/(\/|$)/.test(url.split('?')[0]!) && !routeOptions.url?.endsWith('/')

/**
 * The same path without what beginners add or leave out: slashes, another version, or the prefix of the other API. Where
 * that is none either, the most similar path that takes no ids.
 */
function nearestPath(path: string, paths: Path[]): string | undefined {
  const parts = path.split('/').filter(Boolean)
  while (/^(api|v\d+)$/i.test(parts[0] ?? '')) parts.shift()
  if (parts.length === 0 || path.length > MAX_SHOWN_CHARACTERS) return undefined
  const rest = `/${parts.join('/')}`
  const asGiven = [path.replaceAll(/\/+/g, '/').replace(/\/$/, ''), `/v1${rest}`, `/api${rest}`, rest]
  const candidates = asGiven.flatMap((candidate) => [candidate, candidate.toLowerCase()])
  const fixed = paths.map(({ url }) => url).filter((url) => !url.includes('{'))
  // An id is missing in the middle: what follows it is none.
  const isIdMissing = /[^/]\/\/[^/]/.test(path)
  const isKnown = (candidate: string) =>
    isIdMissing ? fixed.includes(candidate) : paths.some(({ pattern }) => pattern.test(candidate))
  const known = candidates.find(isKnown)
  return known ?? nearestName(`/v1${rest}`, fixed) ?? nearestName(path, fixed)
}

const knownPaths = (routes: Route[]): Path[] =>
  routes.flatMap((route) =>
    urlsOf(route).map((url) => ({ method: route.method, url, pattern: patternOf(url) })),
  )

const patternOf = (url: string) =>
  new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)

/** As the request of whoever is signed in, like every other of theirs. */
async function countUnknown(request: FastifyRequest, reply: FastifyReply, { guards, requests }: HttpOptions) {
  if (!requests || apiOfPath(request.url) === 'onboarding') return
  if (request.headers.authorization)
    request.caller = await guards.user({ kind: 'user' }, request).catch(() => null)
  await requests.count(request, reply)
}

/** Of a path that may belong to no route. */
export const apiOfPath = (url: string): 'onboarding' | 'platform' =>
  apiOf({ url: url.split('?')[0]! }) === 'onboarding' ? 'onboarding' : 'platform'
