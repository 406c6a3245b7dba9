import { createContext, use, useSyncExternalStore } from 'react'

/** The limit of the plan `standard`, until an answer names that of the account. [docs/api#rate-limits] */
const STANDARD = 1000

export interface RequestLimit {
  /** Sends requests, and reads the limit from the answers. */
  fetch: typeof fetch
  /** Requests an hour. */
  read: () => number
  subscribe: (onChange: () => void) => () => void
}

export function createRequestLimit(): RequestLimit {
  const listeners = new Set<() => void>()
  let limit = STANDARD
  return {
    fetch: async (...request) => {
      const response = await fetch(...request)
      const found = Number(response.headers.get('x-ratelimit-limit'))
      if (found > 0 && found !== limit) {
        limit = found
        for (const listener of listeners) listener()
      }
      return response
    },
    read: () => limit,
    subscribe: (onChange) => {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
  }
}

/** The rest of the limit is for lists, commands and other pages. */
const SHARE = 0.4

/**
 * Least time in milliseconds between two repetitions of some requests, for which they stay within their share of the
 * limit.
 * @param requests of one repetition
 * @param limit requests an hour
 */
export const spreadRequests = (requests: number, limit: number): number =>
  Math.ceil((requests * 3_600_000) / (limit * SHARE))

export const RequestLimitContext = createContext<RequestLimit | null>(null)

/** Requests that the account of the page may send in an hour. */
export function useRequestLimit(): number {
  const limit = use(RequestLimitContext)
  if (limit === null) throw new Error('useRequestLimit needs an ApiProvider')
  return useSyncExternalStore(limit.subscribe, limit.read)
}
