/** The interface's rate limit headers, on every platform response, and the refusal where nothing is left. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '../lib/client-network.ts'
import type { Caller } from './access.ts'
import { ApiError } from './errors.ts'
import type { RateLimiter } from './rate-limit.ts'

export interface Limits {
  standard: number
  enterprise: number
}

/** Counts per user or API token; who is not signed in counts by address. [contract §2] */
export const createRequestCounter =
  (limiter: RateLimiter, limits: Limits) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const caller = request.caller as Partial<Caller> | null | undefined
    const key = caller?.userId
      ? caller.tokenId
        ? `token:${caller.tokenId}`
        : `user:${caller.userId}`
      : `address:${networkOf(request.ip)}`
    const { allowed, limit, remaining, resetSeconds } = await limiter.take(
      key,
      limits[caller?.plan ?? 'standard'],
    )
    reply.header('x-ratelimit-limit', limit)
    reply.header('x-ratelimit-remaining', remaining)
    reply.header('x-ratelimit-reset', resetSeconds)
    if (allowed) return
    const message = `All ${limit} requests of this hour are used. Try again when the next one begins.`
    throw new ApiError('rate_limited', message, { limit, resetSeconds }, resetSeconds - Date.now() / 1000)
  }
