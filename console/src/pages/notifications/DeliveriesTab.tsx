import { useApi } from '../../api/ApiProvider.tsx'
import { Empty } from '../../parts/State.tsx'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { useWords } from '../../words/words.tsx'
import { deliveriesRoute, type NamedDelivery } from '../alarms/delivery.ts'
import { DeliveryTable } from '../alarms/DeliveryTable.tsx'
import { withTimeout } from '../devices/timeout.ts'
import type { Notification } from './notification.ts'

const PAGE = 100
const REFRESH_MS = 15_000

/** Lists the deliveries of a notification with their state, the reason of a failure, and a retry. */
export default function DeliveriesTab({ notification }: { notification: Notification }) {
  const { deliveries: words } = useWords('notifications')
  const api = useApi()
  const { id: notificationId, displayName } = notification
  const source = usePagedList<NamedDelivery>(
    ['deliveries', notificationId],
    async (cursor, signal) => {
      const page = await api.page(deliveriesRoute, {
        path: { notificationId },
        query: { limit: PAGE, cursor },
        signal: withTimeout(signal),
      })
      const items = page.items.map((one) => ({ ...one, notificationId, notificationName: displayName }))
      return { ...page, items }
    },
    { refreshMs: REFRESH_MS },
  )
  return (
    <DeliveryTable
      name="deliveries"
      source={source}
      empty={<Empty icon="mail" title={words.noneTitle} text={words.noneText} />}
    />
  )
}
