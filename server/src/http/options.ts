import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { TrustProxy } from '../lib/trusted-proxies.ts'
import type { Guards } from './access.ts'
import type { CorsOrigins } from './cors.ts'
import type { RequestCounter } from './count-request.ts'
import type { Route } from './route.ts'

export interface HttpOptions {
  routes: Route[]
  guards: Guards
  log: FastifyBaseLogger
  trustProxy: TrustProxy
  /** None where absent. */
  corsOrigins?: CorsOrigins
  /** Counts each platform request once the caller is known, or known not to be. */
  requests?: RequestCounter
  /** Called once an answer is sent. */
  onAnswer?: (request: FastifyRequest, status: number, seconds: number) => void
}
