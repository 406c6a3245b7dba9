/** Sets the rate limit headers of platform responses and refuses requests over the limit. [docs/api#rate-limits] */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientNetwork } from '../lib/client-network.ts'
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
  /** The headers for a request of which only the address is known; nothing is counted. */
  addressHeaders(address: string): Record<string, string>
}

/** Counts per user or API token; requests without a caller are counted per address. [docs/api#rate-limits] */
export function createRequestCounter(limiter: RateLimiter, limits: Limits): RequestCounter {
  return {
    async count(request, reply) {
      const { key, limit } = findAccount(request, limits)
      const taken = await limiter.take(key, limit).catch((error: unknown) => {
        // The answer has the headers also if the database is not available.
        reply.headers(formatHeaders(limiter.look(key, limit)))
        throw error
      })
      reply.headers(formatHeaders(taken))
      if (taken.allowed) return
      const { resetSeconds } = taken
      const message = `All ${limit} requests of this hour are used. Try again when the next one begins.`
      throw new ApiError('rate_limited', message, { limit, resetSeconds }, resetSeconds - Date.now() / 1000)
    },
    addressHeaders: (address) => formatHeaders(limiter.look(addressKey(address), limits.standard)),
  }
}

function findAccount(request: FastifyRequest, limits: Limits) {
  const caller = request.caller as Caller | null | undefined
  if (!caller?.userId) return { key: addressKey(request.ip), limit: limits.standard }
  const { userId, tokenId, plan } = caller
  const planLimit = limits[plan]
  const limit = isReadOnly(caller) ? (limits.dataView ?? planLimit) : planLimit
  return { key: tokenId ? `token:${tokenId}` : `user:${userId}`, limit }
}

const addressKey = (address: string) => `address:${clientNetwork(address)}`

const formatHeaders = ({ limit, remaining, resetSeconds }: RateLimit) => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetSeconds),
})
