/** Configures Fastify: validation, access, errors and answers are the same for all routes. */
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RawServerDefault,
} from 'fastify'
import multipart from '@fastify/multipart'
import type { TSchema } from 'typebox'
import { allowSlowBody, limitBodyDuration } from './body-timeout.ts'
import { compressAnswers, isCompressible, refuseCompressedBodies } from './compress.ts'
import { allowOrigins, setCorsHeaders } from './cors.ts'
import { errorHandler, MAX_PATH_PART_CHARACTERS } from './errors.ts'
import { readJsonBodies } from './json-body.ts'
import { NO_SNIFFING } from './no-sniffing.ts'
import type { HttpOptions } from './options.ts'
import { clientErrorHandler, ignoreExpectations, refuseMalformed } from './protocol-errors.ts'
import { inputReader } from './read-input.ts'
import { createRequestIds, REQUEST_ID } from './request-id.ts'
import { Answer, createPathCompletion, findApi, type Route, successStatus } from './route.ts'
import { batchWrites } from './batch-writes.ts'
import { compileSerializerLater } from './serialize.ts'
import { findApiOfPath, refuseUnknownPaths } from './unknown-paths.ts'
import { UpgradableRequest } from './upgrade-requests.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `register` alone; a route without it is refused. */
    gangway?: { route: Route; api: 'onboarding' | 'platform' }
  }
  interface FastifyRequest {
    caller: unknown
  }
}

export const DEFAULT_BODY_LIMIT = 1024 * 1024

const nodeOptions = { requireHostHeader: false, IncomingMessage: UpgradableRequest }

export function createHttpServer(options: HttpOptions): FastifyInstance {
  const { corsOrigins = [] } = options
  const refuse = errorHandler(
    (request) => request.routeOptions.config.gangway?.api ?? findApiOfPath(request.url),
    options.requests,
  )
  const complete = createPathCompletion(options.routes)
  const app = Fastify<RawServerDefault>({
    rewriteUrl: ({ url = '/' }) => complete(url),
    // `register` adds HEAD to the routes of GET: routes of its own would take a tenth of the start-up time.
    exposeHeadRoutes: false,
    loggerInstance: options.log,
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy,
    // Few requests are logged, so they have no child logger; `errors.ts` logs the request id.
    childLoggerFactory: (log) => log,
    genReqId: createRequestIds(),
    bodyLimit: DEFAULT_BODY_LIMIT,
    routerOptions: { maxParamLength: MAX_PATH_PART_CHARACTERS },
    // These errors occur before any hook.
    frameworkErrors: (error, request, reply) => {
      setCorsHeaders(request, reply, corsOrigins)
      reply.header(REQUEST_ID, request.id).headers(NO_SNIFFING)
      refuse(error, request, reply)
    },
    clientErrorHandler: clientErrorHandler(options),
    ...(options.tls ? { https: { ...options.tls, ...nodeOptions } as object } : { http: nodeOptions }),
    // Node's own limit applies to whole requests and would cut long uploads.
    requestTimeout: 0,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
  })
  // Registered here, the hook also runs for errors, unknown paths and preflight requests.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID, request.id).headers(NO_SNIFFING)
    done()
  })
  allowOrigins(app, corsOrigins)
  limitBodyDuration(app)
  app.decorateRequest('caller', null)
  app.setErrorHandler(refuse)
  refuseMalformed(app)
  ignoreExpectations(app)
  refuseUnknownPaths(app, options)
  refuseCompressedBodies(app)
  readJsonBodies(app)
  refuseRoutesWithoutAccess(app)
  // `validate.ts` validates; Fastify must not compile the schemas a second time.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(compileSerializerLater)
  if (options.onAnswer) {
    const { onAnswer } = options
    // A hook with a callback is faster than one with a promise.
    app.addHook('onResponse', (request, reply, done) => {
      onAnswer(request, reply.statusCode, reply.elapsedTime / 1000)
      done()
    })
  }
  batchWrites(app)
  compressAnswers(app)
  // A scope of its own loads after the plugins that are registered before it.
  const registerAll = async (scope: FastifyInstance) =>
    options.routes.forEach((route) => register(scope, route, options))
  app.register(named('routes', registerAll))
  return app
}

type Scope = (scope: FastifyInstance) => Promise<void>

/** Fastify compares a plugin without a display name with every loaded CommonJS module, to find its file. */
const named = (name: string, plugin: Scope): Scope =>
  Object.assign(plugin, { [Symbol.for('fastify.display-name')]: name })

function refuseRoutesWithoutAccess(app: FastifyInstance) {
  app.addHook('onRoute', (route) => {
    if (!route.config?.gangway?.route.access)
      throw new Error(`route ${route.url} was registered without access`)
  })
}

function register(app: FastifyInstance, route: Route, options: HttpOptions) {
  const add = (scope: FastifyInstance) => void scope.route(fastifyRoute(route, options))
  const { rawBody } = route
  if (!rawBody) return add(app)
  // Content type parsers belong to a scope, so a route that reads its body itself gets its own scope.
  const addRawRoute = async (scope: FastifyInstance) => {
    readRawBody(scope, rawBody)
    add(scope)
  }
  app.register(named(`${route.method} ${route.url}`, addRawRoute))
}

function readRawBody(scope: FastifyInstance, { as, contentType }: NonNullable<Route['rawBody']>) {
  scope.removeAllContentTypeParsers()
  if (as === 'multipart') {
    scope.addHook('preParsing', allowSlowBody)
    return void scope.register(multipart)
  }
  const types =
    contentType === '*' ? '*' : new RegExp(`^${contentType.replace(/[/+]/g, '\\$&')}(\\s*;|$)`, 'i')
  if (as === 'stream') scope.addContentTypeParser(types, (_request, payload, done) => done(null, payload))
  else scope.addContentTypeParser(types, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

function fastifyRoute(route: Route, { guards, requests }: HttpOptions) {
  const guard = guards[route.access.kind] as (
    access: Route['access'],
    request: FastifyRequest,
  ) => Promise<unknown>
  const readInput = inputReader(route)
  const status = successStatus(route)
  const isPlatform = findApi(route) === 'platform'
  const authorize = async (request: FastifyRequest, reply: FastifyReply) => {
    if (isPlatform && requests && route.uncounted) reply.headers(requests.addressHeaders(request.ip))
    try {
      request.caller = await guard(route.access, request)
    } finally {
      if (isPlatform && !route.uncounted) await requests?.count(request, reply)
    }
  }
  // The signature covers the raw body, so only this guard waits for the body.
  const needsBody = route.access.kind === 'webhookSignature'
  return {
    method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
    url: route.url.replace(/\{(\w+)\}/g, ':$1'),
    config: {
      gangway: {
        route,
        api: findApi(route) === 'onboarding' ? ('onboarding' as const) : ('platform' as const),
      },
    },
    bodyLimit: route.bodyLimit ?? DEFAULT_BODY_LIMIT,
    ...(!isCompressible(route) && { compress: false as const }),
    schema: { response: responseSchemas(route) },
    ...(needsBody ? { preValidation: authorize } : { onRequest: authorize }),
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      if (route.secret) reply.header('cache-control', 'no-store')
      const result = await route.handler(readInput(request, reply) as never)
      if (reply.sent) return reply
      // Returned instead of sent: Fastify would wait for the reply a second time.
      if (!(result instanceof Answer)) {
        reply.code(status)
        return result
      }
      reply.code(result.status).headers(result.headers)
      return result.body
    },
  }
}

function responseSchemas(route: Route) {
  const schemas = Object.entries(route.response).filter(
    (entry): entry is [string, TSchema] => entry[1] !== null,
  )
  return route.produces ? {} : Object.fromEntries(schemas)
}
