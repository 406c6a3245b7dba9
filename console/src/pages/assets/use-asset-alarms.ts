import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { createThrottle } from '../../charts/throttle.ts'
import { useLiveStore } from '../../live/LiveProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'

const MOST = 200
/** An alarm that flaps must not spend the requests of the account. */
const REREAD_MS = 10_000

/** The open alarms of an asset, active and severe ones first; read again when one of them changes. */
export function useAssetAlarms(assetId: string) {
  const api = useApi()
  const cache = useQueryClient()
  const live = useLiveStore()
  useEffect(() => {
    const readAgain = createThrottle(
      () => void cache.invalidateQueries({ queryKey: ['asset-alarms', assetId] }),
      () => REREAD_MS,
    )
    const subscription = live
      .connect()
      .subscribe({ topic: 'alarm', assets: [assetId] }, readAgain.call, { onGap: readAgain.call })
    // The end of an alarm before the subscription began was not pushed.
    subscription.started.then(readAgain.call, () => {})
    return () => {
      subscription.stop()
      readAgain.cancel()
    }
  }, [cache, live, assetId])
  return useQuery({
    queryKey: ['asset-alarms', assetId, 'open'],
    queryFn: async ({ signal }) => {
      const statuses = await api.get('/v1/alarms/status/entity/{entityId}', {
        path: { entityId: assetId },
        query: { limit: MOST },
        signal: withTimeout(signal),
      })
      return statuses.toSorted(
        (a, b) =>
          Number(b.active) - Number(a.active) ||
          b.severity - a.severity ||
          b.activatedAt.localeCompare(a.activatedAt),
      )
    },
  })
}
