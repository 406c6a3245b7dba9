import { ApiError } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { chooseRefreshMs } from './choose-refresh.ts'
import { deliveriesRoute, type NamedDelivery } from './delivery.ts'
import type { Status } from './status.ts'

const MOST_NOTIFICATIONS = 20
const MOST_DELIVERIES = 200

/** Deliveries of all notifications of the rule; each is a request, so that they are few. */
export function useDeliveries(status: Status) {
  const { alarmId, alarmStatusId } = status
  const api = useApi()
  return useQuery({
    queryKey: ['deliveries', alarmStatusId],
    queryFn: async ({ signal }) => {
      const named = await api.page('/v1/notifications', {
        query: { alarmId, limit: MOST_NOTIFICATIONS },
        signal: withTimeout(signal),
      })
      const rows: NamedDelivery[] = []
      const hidden: string[] = []
      let isCut = named.cursor != null
      for (const { id: notificationId, displayName } of named.items)
        try {
          const found = await api.page(deliveriesRoute, {
            path: { notificationId },
            query: { alarmStatusId, limit: MOST_DELIVERIES },
            signal: withTimeout(signal),
          })
          rows.push(
            ...found.items.map((delivery) => ({
              ...delivery,
              notificationId,
              notificationName: displayName,
            })),
          )
          isCut ||= found.cursor != null
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 403) throw error
          hidden.push(displayName)
        }
      return { rows, hidden, notifications: named.items.length, isCut }
    },
    refetchInterval: ({ state }) => chooseRefreshMs(status, state.data, Date.now()),
  })
}
