import type { TlsOptions } from 'node:tls'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { TrustProxy } from '../lib/trusted-proxies.ts'
import type { Guards } from './access.ts'
import type { CorsOrigins } from './cors.ts'
import type { RequestCounter } from './enforce-rate-limit.ts'
import type { Route } from './route.ts'

export interface HttpOptions {
  routes: Route[]
  guards: Guards
  log: FastifyBaseLogger
  trustProxy: TrustProxy
  /** Serves HTTPS instead of HTTP. */
  tls?: TlsOptions
  /** If absent, no origin is allowed. */
  corsOrigins?: CorsOrigins
  /** Counts each platform request after authentication, whether it succeeded or not. */
  requests?: RequestCounter
  /** Called when an answer is sent. */
  onAnswer?: (request: FastifyRequest, status: number, seconds: number) => void
}
