import type { Schemas } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useLiveStore } from '../../../live/LiveProvider.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { useBoardValues } from '../values/board-context.ts'

export type AlarmStatus = Schemas['AlarmStatus']

/** Most open alarms that are read. */
export const MOST_OPEN = 1000
/** Most cleared alarms that are read. */
export const MOST_CLEARED = 100
/** Alarms of assets are pushed; those of all assets are requested. Several lists share the requests of one. */
const REFRESH_MS = 30_000

interface Wanted {
  assets: string[] | undefined
  alarmIds: string[] | undefined
  minSeverity: number
}

const only = (ids: string[] | undefined) => (ids?.length === 1 ? ids[0] : undefined)

/** Reads open alarms, which all widgets share. Of cleared ones, the server chooses those of the widget where it can. */
export function useAlarmStatuses(isHistory: boolean, { assets, alarmIds, minSeverity }: Wanted) {
  const api = useApi()
  const { plan } = useBoardValues()
  const chosen = isHistory ? { entityId: only(assets), alarmId: only(alarmIds), minSeverity } : {}
  useAlarmPush(assets)
  return useQuery({
    queryKey: ['board-alarms', isHistory, chosen],
    queryFn: async ({ signal }): Promise<AlarmStatus[]> => {
      const limit = isHistory ? MOST_CLEARED : MOST_OPEN
      const query = { query: { limit, ...chosen }, signal: withTimeout(signal) }
      return isHistory ? api.get('/v1/alarms/status/history', query) : api.get('/v1/alarms/status', query)
    },
    refetchInterval: () => REFRESH_MS * plan.countAlarmLists(),
  })
}

function useAlarmPush(assets: string[] | undefined) {
  const { plan } = useBoardValues()
  const live = useLiveStore()
  const key = JSON.stringify(assets ?? [])
  useEffect(() => {
    const watched = (JSON.parse(key) as string[]).slice(0, MOST_OPEN)
    if (watched.length === 0) return
    const subscription = live
      .connect()
      .subscribe({ topic: 'alarm', assets: watched }, plan.readAlarms, { onGap: plan.readAlarms })
    return () => subscription.stop()
  }, [plan, live, key])
}
