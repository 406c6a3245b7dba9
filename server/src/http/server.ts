/** Fastify under our routes: validation, access, errors and answers the same for all of them. */
import { randomBytes } from 'node:crypto'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import multipart from '@fastify/multipart'
import type { TSchema } from 'typebox'
import type { Guards } from './access.ts'
import { allowSlowBody, limitBodyTime } from './body-time.ts'
import { errorBody, errorHandler, notFound } from './errors.ts'
import { Answer, apiOf, type Route, successStatus } from './route.ts'
import { sendTogether } from './send-together.ts'
import { coercingValidator, strictValidator } from './validate.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `register` alone; a route without it is refused. */
    gangway?: { route: Route; api: 'onboarding' | 'platform' }
  }
  interface FastifyRequest {
    caller: unknown
  }
}

export interface HttpOptions {
  routes: Route[]
  guards: Guards
  log: FastifyBaseLogger
  trustProxy: boolean
  /** Called for each platform request once the caller is known, or known not to be; may refuse it. */
  countRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** Called once an answer is sent. */
  onAnswer?: (request: FastifyRequest, status: number, seconds: number) => void
}

const DEFAULT_BODY_LIMIT = 1024 * 1024

export function createHttpServer(options: HttpOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.log,
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy,
    // Nearly no request is logged, so none gets a logger of its own; `errors.ts` names the request itself.
    childLoggerFactory: (log) => log,
    genReqId: requestIds(),
    bodyLimit: DEFAULT_BODY_LIMIT,
    routerOptions: { maxParamLength: 1024 },
    // Node's own limit counts whole requests, and would cut every long upload.
    requestTimeout: 0,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
  })
  limitBodyTime(app)
  app.decorateRequest('caller', null)
  app.setErrorHandler(
    errorHandler((request) => request.routeOptions.config.gangway?.api ?? apiOfPath(request)),
  )
  app.setNotFoundHandler((request, reply) => {
    const error = notFound('route', `${request.method} ${request.url.split('?')[0]}`)
    return reply.code(404).send(errorBody(error, apiOfPath(request)))
  })
  refuseRoutesWithoutAccess(app)
  // Ours validate by `validate.ts`; Fastify is not to compile the schemas a second time.
  app.setValidatorCompiler(() => () => true)
  if (options.onAnswer) {
    const { onAnswer } = options
    // A hook with a callback: a promise for every answer would cost more than what it waits for.
    app.addHook('onResponse', (request, reply, done) => {
      onAnswer(request, reply.statusCode, reply.elapsedTime / 1000)
      done()
    })
  }
  // Every answer, errors and unknown paths too: no browser guesses that an answer is something else than it says.
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff')
    done()
  })
  sendTogether(app)
  for (const route of options.routes) register(app, route, options)
  return app
}

/** Unlike the ids of records they are only looked up in the log, and every request pays for one: random once, then counted. */
function requestIds(): () => string {
  const prefix = randomBytes(8).toString('hex')
  let count = 0
  return () => `${prefix}-${(count++).toString(36)}`
}

const apiOfPath = (request: FastifyRequest) =>
  apiOf({ url: request.url.split('?')[0]! }) === 'onboarding' ? 'onboarding' : 'platform'

function refuseRoutesWithoutAccess(app: FastifyInstance) {
  app.addHook('onRoute', (route) => {
    if (!route.config?.gangway?.route.access)
      throw new Error(`route ${route.url} was registered without access`)
  })
}

/** A platform path answers with and without its `/v1`. [contract §1] */
function register(app: FastifyInstance, route: Route, options: HttpOptions) {
  const urls = route.url.startsWith('/v1/') ? [route.url, route.url.slice('/v1'.length)] : [route.url]
  const add = (scope: FastifyInstance) =>
    urls.forEach((url) => scope.route(fastifyRoute(url, route, options)))
  const { rawBody } = route
  if (!rawBody) return add(app)
  // Content type parsers belong to a scope; only a route that reads its body itself needs one of its own.
  app.register(async (scope) => {
    readRawBody(scope, rawBody)
    add(scope)
  })
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

function fastifyRoute(url: string, route: Route, { guards, countRequest }: HttpOptions) {
  const guard = guards[route.access.kind] as (
    access: Route['access'],
    request: FastifyRequest,
  ) => Promise<unknown>
  const inputOf = inputReader(route)
  const status = successStatus(route)
  const isCounted = apiOf(route) === 'platform' && !route.uncounted
  const authorize = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      request.caller = await guard(route.access, request)
    } finally {
      if (isCounted) await countRequest?.(request, reply)
    }
  }
  // A signature is over the raw body, so that guard alone has to wait for it.
  const needsBody = route.access.kind === 'webhookSignature'
  return {
    method: route.method,
    url: url.replace(/\{(\w+)\}/g, ':$1'),
    config: {
      gangway: {
        route,
        api: apiOf(route) === 'onboarding' ? ('onboarding' as const) : ('platform' as const),
      },
    },
    bodyLimit: route.bodyLimit ?? DEFAULT_BODY_LIMIT,
    schema: { response: responseSchemas(route) },
    ...(needsBody ? { preValidation: authorize } : { onRequest: authorize }),
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const result = await route.handler(inputOf(request, reply) as never)
      if (reply.sent) return reply
      // Returned rather than sent: Fastify would wait for the reply a second time.
      if (!(result instanceof Answer)) {
        reply.code(status)
        return result
      }
      reply.code(result.status).headers(result.headers)
      return result.body
    },
  }
}

/** What a handler gets. @throws validation_error */
function inputReader(route: Route) {
  const params = route.params && coercingValidator(route.params, 'path')
  const query = route.query && coercingValidator(route.query, 'query')
  const body = route.body && strictValidator(route.body, 'body')
  return (request: FastifyRequest, reply: FastifyReply) => ({
    params: params?.(request.params),
    query: query?.(request.query),
    body: body ? body(request.body) : request.body,
    caller: request.caller,
    request,
    reply,
  })
}

function responseSchemas(route: Route) {
  const schemas = Object.entries(route.response).filter(
    (entry): entry is [string, TSchema] => entry[1] !== null,
  )
  return route.produces ? {} : Object.fromEntries(schemas)
}
