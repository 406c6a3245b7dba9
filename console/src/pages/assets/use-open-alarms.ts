import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'

export interface OpenAlarms {
  count: number
  /** Highest severity of the alarms. */
  severity: number
}

const REFRESH_MS = 30_000
const MOST = 1000

/** Open alarms by asset, read in one request; `isCut` if there may be more than it returns. */
export function useOpenAlarms(): { byAsset: ReadonlyMap<string, OpenAlarms>; isCut: boolean } {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['open-alarms'],
    queryFn: async ({ signal }) => {
      const statuses = await api.get('/v1/alarms/status', {
        query: { limit: MOST },
        signal: withTimeout(signal),
      })
      const byAsset = new Map<string, OpenAlarms>()
      for (const { entityId, severity } of statuses) {
        const { count, severity: worst } = byAsset.get(entityId) ?? { count: 0, severity: 0 }
        byAsset.set(entityId, { count: count + 1, severity: Math.max(worst, severity) })
      }
      return { byAsset, isCut: statuses.length === MOST }
    },
    refetchInterval: REFRESH_MS,
    retry: false,
  })
  return data ?? none
}

/** Result while loading, and for users who may not see alarms. */
const none = { byAsset: new Map<string, OpenAlarms>(), isCut: false }
