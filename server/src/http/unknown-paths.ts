/** Requests that no route answers: 404, or 405 where the path exists with other methods. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, notFound } from './errors.ts'
import { apiOf, type Route, urlsOf } from './route.ts'
import type { HttpOptions } from './server.ts'

export function refuseUnknownPaths(app: FastifyInstance, options: HttpOptions): void {
  const paths = knownPaths(options.routes)
  // Before the body is read: whatever it holds, there is nobody to read it.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return
    await countUnknown(request, reply, options)
    const path = request.url.split('?')[0]!
    const methods = paths.filter(({ pattern }) => pattern.test(path)).flatMap(({ method }) => method)
    if (methods.length === 0) throw notFound('route', `${request.method} ${path}`)
    const allow = [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)))]
    reply.header('allow', allow.join(', '))
    throw new ApiError('method_not_allowed', `${path} takes ${allow.join(', ')}, not ${request.method}.`, {
      allow,
    })
  })
}

const knownPaths = (routes: Route[]) =>
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
