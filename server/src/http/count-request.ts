/** The rate limit headers on every platform response, and the refusal where nothing is left. [docs/api#rate-limits] */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '../lib/client-network.ts'
import { type Caller, isReadOnly } from './access.ts'
import { ApiError } from './errors.ts'
import type { RateLimit, RateLimiter } from './rate-limit.ts'

export interface Limits {
  standard: number
  enterprise: number
  /** Limit of API tokens that have `data_view` alone; if undefined, the limit of the tenant's plan applies. */
  dataView: number | undefined
}

export interface RequestCounter {
  /** Counts the request and sets the headers. @throws rate_limited */
  count(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** The headers for an address, of whose request nothing else is known; nothing is counted. */
  headersOf(address: string): Record<string, string>
}

/** Counts per user or API token; who is not signed in counts by address. [docs/api#rate-limits] */
export function createRequestCounter(limiter: RateLimiter, limits: Limits): RequestCounter {
  return {
    async count(request, reply) {
      const { key, limit } = accountOf(request, limits)
      const taken = await limiter.take(key, limit).catch((error: unknown) => {
        // The headers stand on the answer even where the database cannot be asked.
        reply.headers(headersFor(limiter.look(key, limit)))
        throw error
      })
      reply.headers(headersFor(taken))
      if (taken.allowed) return
      const { resetSeconds } = taken
      const message = `All ${limit} requests of this hour are used. Try again when the next one begins.`
      throw new ApiError('rate_limited', message, { limit, resetSeconds }, resetSeconds - Date.now() / 1000)
    },
    headersOf: (address) => headersFor(limiter.look(keyOfAddress(address), limits.standard)),
  }
}

function accountOf(request: FastifyRequest, limits: Limits) {
  const caller = request.caller as Caller | null | undefined
  if (!caller?.userId) return { key: keyOfAddress(request.ip), limit: limits.standard }
  const { userId, tokenId, plan } = caller
  const ofPlan = limits[plan]
  const limit = isReadOnly(caller) ? (limits.dataView ?? ofPlan) : ofPlan
  return { key: tokenId ? `token:${tokenId}` : `user:${userId}`, limit }
}

const keyOfAddress = (address: string) => `address:${networkOf(address)}`

const headersFor = ({ limit, remaining, resetSeconds }: RateLimit) => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetSeconds),
})
