import type { Gangway } from '@gangway/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { isLongList } from '../../api/long-list.ts'
import { createThrottle } from '../../charts/throttle.ts'
import { keepWhileFetching } from '../../live/keep-while-fetching.ts'
import { useLiveStore } from '../../live/LiveProvider.tsx'
import type { PagedList } from '../../parts/table/use-paged-list.ts'
import { withTimeout } from '../devices/timeout.ts'
import { applyStatuses, type StatusPage } from './apply-statuses.ts'
import type { AlarmFilters, Status } from './status.ts'
import type { InfiniteData } from '@tanstack/react-query'

/** A subscription names at most this many assets. */
const PAGE = 1000
/** Assets beyond these are followed by the regular refresh of the list only. */
const MOST_PAGES = 10
const ASSETS_KEPT_MS = 300_000
/** Events are collected for this long: a new subscription first gets all open statuses. */
const COLLECT_MS = 250
/** Each loaded page is a request. */
const REREAD_MS = 30_000
/** When a subscription has ended, as after an asset was deleted, the assets are listed again, but not more often. */
const RELIST_MS = 120_000

/**
 * Keeps the list of the key up to date by the real-time connection.
 * @returns whether there are more assets than are followed
 */
export function useLiveAlarms(
  key: unknown[],
  filters: AlarmFilters,
  { readAgain, markBehind }: Pick<PagedList<Status>, 'readAgain' | 'markBehind'>,
): { isCut: boolean } {
  const api = useApi()
  const cache = useQueryClient()
  const live = useLiveStore()
  const { data } = useQuery({
    queryKey: ['alarms-assets'],
    queryFn: ({ signal }) => listAssetIds(api, signal),
    enabled: filters.asset === '',
    staleTime: ASSETS_KEPT_MS,
    refetchInterval: ASSETS_KEPT_MS,
    retry: false,
  })
  const followed = JSON.stringify(filters.asset === '' ? (data?.groups ?? []) : [[filters.asset]])
  const latest = useRef({ key, filters })
  latest.current = { key, filters }

  useEffect(() => {
    const pushed: Status[] = []
    const reread = createThrottle(readAgain, () => REREAD_MS)
    const relist = createThrottle(
      () => void cache.invalidateQueries({ queryKey: ['alarms-assets'] }),
      () => RELIST_MS,
    )
    const apply = (events: Status[]) => {
      const { key: present, filters: wanted } = latest.current
      const loaded = cache.getQueryData<InfiniteData<StatusPage>>(present)
      if (loaded === undefined) return
      const next = wanted.show === 'open' ? applyStatuses(loaded, events, wanted) : undefined
      if (next !== undefined) cache.setQueryData(present, next)
      else if (wanted.show === 'open' || events.some(({ state }) => state === 'cleared'))
        if (isLongList(loaded)) markBehind()
        else reread.call()
    }
    const flush = createThrottle(
      () => apply(pushed.splice(0)),
      () => COLLECT_MS,
    )
    const kept = keepWhileFetching(cache, () => latest.current.key, apply)
    const subscriptions = (JSON.parse(followed) as string[][]).map((assets) =>
      live.connect().subscribe(
        { topic: 'alarm', assets },
        ({ status }) => {
          pushed.push(status)
          kept.record(status)
          // The first event waits for its companions, too.
          setTimeout(flush.call, COLLECT_MS)
        },
        { onGap: reread.call, onEnd: relist.call },
      ),
    )
    for (const { started } of subscriptions) started.catch(() => {})
    return () => {
      for (const subscription of subscriptions) subscription.stop()
      kept.stop()
      flush.cancel()
      reread.cancel()
      relist.cancel()
    }
  }, [cache, live, followed, readAgain, markBehind])
  return { isCut: filters.asset === '' && data?.isCut === true }
}

async function listAssetIds(api: Gangway, signal: AbortSignal) {
  const groups: string[][] = []
  let cursor: string | undefined
  do {
    const page = await api.page('/v1/assets', { query: { limit: PAGE, cursor }, signal: withTimeout(signal) })
    if (page.items.length > 0) groups.push(page.items.map(({ id }) => id))
    cursor = page.cursor ?? undefined
  } while (cursor !== undefined && groups.length < MOST_PAGES)
  return { groups, isCut: cursor !== undefined }
}
