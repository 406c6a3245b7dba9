/** Limits the new runs of one batch whose devices have proved nothing, because anybody can cause them. */
import type { Attempt } from './attempt.ts'

/** New runs of ids that belong to no tenant, which anybody can make up. */
const MAX_UNKNOWN = 200
const MAX_OF_DEVICE = 10
const MAX_OF_TENANT = 1000

interface UnprovenLimit {
  /** Counts one more run. @returns the limit that it exceeds; undefined if there is none */
  exceed(attempt: Attempt): 'unknown_ids' | 'unproven' | undefined
}

export function createUnprovenLimit(): UnprovenLimit {
  const counts = new Map<string, number>()
  const count = (key: string) => {
    const sum = (counts.get(key) ?? 0) + 1
    counts.set(key, sum)
    return sum
  }
  return {
    exceed({ tenantId, deviceId }) {
      if (tenantId === undefined) return count('') > MAX_UNKNOWN ? 'unknown_ids' : undefined
      // The attempts on one device leave those on others their place in the tenant.
      if (count(`${tenantId} ${deviceId}`) > MAX_OF_DEVICE) return 'unproven'
      return count(tenantId) > MAX_OF_TENANT ? 'unproven' : undefined
    },
  }
}
