/**
 * Starts the HTTP servers: one port for everything, or a second port for the onboarding paths; and HTTPS for devices, which
 * may have a certificate.
 */
import { constants } from 'node:crypto'
import type { Server as HttpsServer } from 'node:https'
import type { TlsOptions } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { ListenError } from '../lib/listen-error.ts'
import { recordHandshakeError } from '../tls/record-handshake.ts'
import { type Guards, needsToken } from './access.ts'
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

/** A TLS handshake that takes longer is given up. */
const HANDSHAKE_TIMEOUT_MS = 10_000

/** TLS of devices ends at this server: a proxy passes it on unread, so that only the device can have written a header. */
const NO_PROXY = false

export interface Http extends AsyncDisposable {
  /** WebSockets on the server with the platform's routes. */
  upgrades: Upgrades
  /** WebSockets on the HTTPS server. */
  secureUpgrades: Upgrades
}

export async function startHttp(ctx: Context, routes: Route[], guards: Guards): Promise<Http> {
  const { httpPort, onboardingPort, httpsPort } = ctx.config
  const secure = await tlsOptions(ctx)
  const limiter = createRateLimiter(ctx.pool)
  const requests = createRequestCounter(limiter, {
    standard: ctx.config.rateLimitStandard,
    enterprise: ctx.config.rateLimitEnterprise,
    dataView: ctx.config.rateLimitDataView,
  })
  const servers: FastifyInstance[] = []
  const stop = async () => {
    stopRenewal()
    await Promise.all(servers.map(drain))
    await limiter[Symbol.asyncDispose]()
  }
  let stopRenewal = () => {}
  const listen = async (served: Route[], { port, portVariable, tls }: Port) => {
    const server = createHttpServer({
      ...httpOptions(ctx),
      routes: served,
      guards,
      requests,
      ...(tls && { tls, trustProxy: NO_PROXY }),
    })
    servers.push(server)
    const host = ctx.config.httpHost
    await server.listen({ host, port }).catch(async (error: NodeJS.ErrnoException) => {
      await stop()
      throw new ListenError({ host, port, hostVariable: 'GANGWAY_HTTP_HOST', portVariable }, error)
    })
    const { port: chosen } = server.server.address() as { port: number }
    return `${tls ? 'https' : 'http'}://127.0.0.1:${chosen}`
  }
  const { endpoints } = ctx
  const { roles } = ctx.config
  const http = { port: httpPort, portVariable: 'GANGWAY_HTTP_PORT' }
  if (!roles.has('api')) {
    endpoints.http = await listen(routes, http)
  } else if (onboardingPort === undefined) {
    endpoints.http = endpoints.onboarding = await listen(routes, http)
  } else {
    // The console needs the onboarding routes of administrators at its own origin. [docs/onboarding#port]
    const platform = routes.filter((route) => !isOnboarding(route) || needsToken(route.access))
    endpoints.http = await listen(platform, http)
    const onboarding = { port: onboardingPort, portVariable: 'GANGWAY_ONBOARDING_PORT' }
    endpoints.onboarding = await listen(routes.filter(isOnboarding), onboarding)
  }
  const upgrades = createUpgrades(servers[0]!.server, { trustProxy: ctx.config.trustProxy, requests })
  // Nothing but the API and MQTT over WebSocket needs HTTPS.
  if (!roles.has('api') && !roles.has('gateway'))
    return { upgrades, secureUpgrades: upgrades, [Symbol.asyncDispose]: stop }
  const https = { port: httpsPort, portVariable: 'GANGWAY_HTTPS_PORT', tls: secure }
  endpoints.https = await listen(routes.filter(isForDevices), https)
  const secureServer = servers.at(-1)!.server as HttpsServer
  secureServer.on('tlsClientError', (error, socket) => {
    recordHandshakeError(ctx.attempts, error, socket.remoteAddress)
  })
  stopRenewal = ctx.serverCertificates.renew(secureServer, secureOptions)
  return {
    upgrades,
    secureUpgrades: createUpgrades(secureServer, { trustProxy: NO_PROXY, requests }),
    [Symbol.asyncDispose]: stop,
  }
}

interface Port {
  port: number
  portVariable: string
  tls?: TlsOptions
}

const isOnboarding = (route: Route) => findApi(route) === 'onboarding'

/** HTTPS serves the onboarding paths, and the certificate that verifies it. */
const isForDevices = (route: Route) => isOnboarding(route) || route.url === '/v1/ca.crt'

/**
 * No session resumption: a resumed session has the client's certificate but not the chain above it, which enrolment
 * verifies.
 */
const secureOptions = { minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_TICKET } as const

/** The routes decide about a client's certificate, so the listener accepts every one and none. */
const tlsOptions = async ({ serverCertificates }: Context): Promise<TlsOptions> => ({
  ...(await serverCertificates.load()),
  ...secureOptions,
  handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
  requestCert: true,
  rejectUnauthorized: false,
})

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
