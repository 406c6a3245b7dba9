/** Requests that no route answers: 404, or 405 where the path exists with other methods. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, notFound } from './errors.ts'
import { apiOf, type Route, urlsOf } from './route.ts'
import type { HttpOptions } from './server.ts'

const MAX_SHOWN_CHARACTERS = 256

export function refuseUnknownPaths(app: FastifyInstance, options: HttpOptions): void {
  const paths = knownPaths(options.routes)
  // Before the body is read: whatever it holds, there is nobody to read it.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    countUnknown(request, reply, options)
      .then(() => refuse(request, reply, paths))
      .catch(done)
  })
}

interface Path {
  method: string
  pattern: RegExp
}

function refuse({ method, url }: FastifyRequest, reply: FastifyReply, paths: Path[]): never {
  const path = url.split('?')[0]!
  const shown = path.slice(0, MAX_SHOWN_CHARACTERS)
  const methods = paths.filter(({ pattern }) => pattern.test(path)).map((known) => known.method)
  if (methods.length === 0) throw notFound('route', `${method} ${shown}`)
  const allow = [...new Set(methods.flatMap((known) => (known === 'GET' ? ['GET', 'HEAD'] : known)))]
  reply.header('allow', allow.join(', '))
  throw new ApiError('method_not_allowed', `${shown} takes ${allow.join(', ')}, not ${method}.`, { allow })
}

const knownPaths = (routes: Route[]): Path[] =>
  routes.flatMap((route) => urlsOf(route).map((url) => ({ method: route.method, pattern: patternOf(url) })))

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
