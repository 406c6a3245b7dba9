/** Starts the HTTP servers: one port for everything, or a second port for the onboarding paths. */
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { ListenError } from '../lib/listen-error.ts'
import type { Guards } from './access.ts'
import { createRequestCounter } from './enforce-rate-limit.ts'
import { createRateLimiter } from './rate-limit.ts'
import { findApi, type Route } from './route.ts'
import type { HttpOptions } from './options.ts'
import { createHttpServer } from './server.ts'
import { createUpgrades, type Upgrades } from './upgrades.ts'

/** On stop, requests still in progress are cut after this time. */
const DRAIN_MS = 10_000
/** Interval for closing connections that become idle while the server stops. */
const LOOK_AGAIN_MS = 50

export interface Http extends AsyncDisposable {
  /** WebSockets on the server with the platform's routes. */
  upgrades: Upgrades
}

export async function startHttp(ctx: Context, routes: Route[], guards: Guards): Promise<Http> {
  const { httpPort, onboardingPort } = ctx.config
  const limiter = createRateLimiter(ctx.pool)
  const requests = createRequestCounter(limiter, {
    standard: ctx.config.rateLimitStandard,
    enterprise: ctx.config.rateLimitEnterprise,
    dataView: ctx.config.rateLimitDataView,
  })
  const servers: FastifyInstance[] = []
  const stop = async () => {
    await Promise.all(servers.map(drain))
    await limiter[Symbol.asyncDispose]()
  }
  const listen = async (served: Route[], port: number, portVariable: string) => {
    const server = createHttpServer({ ...httpOptions(ctx), routes: served, guards, requests })
    servers.push(server)
    const host = ctx.config.httpHost
    await server.listen({ host, port }).catch(async (error: NodeJS.ErrnoException) => {
      await stop()
      throw new ListenError({ host, port, hostVariable: 'GANGWAY_HTTP_HOST', portVariable }, error)
    })
    return `http://127.0.0.1:${(server.server.address() as { port: number }).port}`
  }
  if (onboardingPort === undefined) {
    ctx.endpoints.http = ctx.endpoints.onboarding = await listen(routes, httpPort, 'GANGWAY_HTTP_PORT')
  } else {
    const isOnboarding = (route: Route) => findApi(route) === 'onboarding'
    ctx.endpoints.http = await listen(
      routes.filter((route) => !isOnboarding(route)),
      httpPort,
      'GANGWAY_HTTP_PORT',
    )
    ctx.endpoints.onboarding = await listen(
      routes.filter(isOnboarding),
      onboardingPort,
      'GANGWAY_ONBOARDING_PORT',
    )
  }
  return {
    upgrades: createUpgrades(servers[0]!.server),
    [Symbol.asyncDispose]: stop,
  }
}

const httpOptions = (ctx: Context) => ({
  log: ctx.log,
  trustProxy: ctx.config.trustProxy,
  corsOrigins: ctx.config.corsOrigins,
  onAnswer: createObserver(ctx.metrics.httpSeconds),
})

/** Finding labels costs more than observing, so they are cached for each route, method and status. */
function createObserver(histogram: Context['metrics']['httpSeconds']): NonNullable<HttpOptions['onAnswer']> {
  const known = new Map<string, ReturnType<typeof histogram.labels>>()
  return ({ method, routeOptions }, status, seconds) => {
    const route = routeOptions.url ?? 'none'
    const key = `${method} ${status} ${route}`
    let observed = known.get(key)
    if (!observed) known.set(key, (observed = histogram.labels(method, route, String(status))))
    observed.observe(seconds)
  }
}

async function drain(server: FastifyInstance) {
  const cut = setTimeout(() => server.server.closeAllConnections(), DRAIN_MS)
  const idle = setInterval(() => server.server.closeIdleConnections(), LOOK_AGAIN_MS)
  await server.close()
  clearInterval(idle)
  clearTimeout(cut)
}
