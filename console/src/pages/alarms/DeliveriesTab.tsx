import { ApiError } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { Empty, Failed, Loading, Notice } from '../../parts/State.tsx'
import { shownRows } from '../../parts/table/use-paged-list.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { chooseRefreshMs } from './choose-refresh.ts'
import { deliveriesRoute, type NamedDelivery } from './delivery.ts'
import { DeliveryTable } from './DeliveryTable.tsx'
import type { Status } from './status.ts'

const MOST_NOTIFICATIONS = 20

/** The messages that an activation caused: to whom, how, and what became of them. */
export default function DeliveriesTab({ status }: { status: Status }) {
  const { deliveries: words } = useWords('alarms')
  const deliveries = useDeliveries(status)
  if (deliveries.isPending) return <Loading />
  if (deliveries.data === undefined)
    return <Failed error={deliveries.error} onRetry={() => void deliveries.refetch()} />
  const { rows, hidden, notifications } = deliveries.data
  return (
    <>
      {hidden.length > 0 && <Notice kind="info">{words.hidden(hidden.join(', '))}</Notice>}
      <DeliveryTable
        name="alarm-deliveries"
        source={{ ...shownRows(rows), refresh: () => void deliveries.refetch() }}
        hasNotification
        empty={
          <Empty
            icon="alarm"
            title={words.noneTitle}
            text={notifications === 0 ? words.noneText : words.noMessages}
          />
        }
      />
    </>
  )
}

/** Deliveries of all notifications of the rule; each is a request, so that they are few. */
function useDeliveries(status: Status) {
  const { alarmId, alarmStatusId } = status
  const api = useApi()
  return useQuery({
    queryKey: ['deliveries', alarmStatusId],
    queryFn: async ({ signal }) => {
      const notifications = await api.get('/v1/notifications', {
        query: { alarmId, limit: MOST_NOTIFICATIONS },
        signal: withTimeout(signal),
      })
      const rows: NamedDelivery[] = []
      const hidden: string[] = []
      for (const { id: notificationId, displayName } of notifications)
        try {
          const found = await api.get(deliveriesRoute, {
            path: { notificationId },
            query: { alarmStatusId, limit: 200 },
            signal: withTimeout(signal),
          })
          rows.push(
            ...found.map((delivery) => ({
              ...delivery,
              notificationId,
              notificationName: displayName,
            })),
          )
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 403) throw error
          hidden.push(displayName)
        }
      return { rows, hidden, notifications: notifications.length }
    },
    refetchInterval: ({ state }) => chooseRefreshMs(status, state.data, Date.now()),
  })
}
