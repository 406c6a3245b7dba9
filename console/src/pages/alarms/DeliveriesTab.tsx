import { Empty, Failed, Loading, Notice } from '../../parts/State.tsx'
import { shownRows } from '../../parts/table/use-paged-list.ts'
import { useWords } from '../../words/words.tsx'
import { DeliveryTable } from './DeliveryTable.tsx'
import type { Status } from './status.ts'
import { useDeliveries } from './use-deliveries.ts'

/** The messages that an activation caused: to whom, how, and what became of them. */
export default function DeliveriesTab({ status }: { status: Status }) {
  const { deliveries: words } = useWords('alarms')
  const deliveries = useDeliveries(status)
  if (deliveries.isPending) return <Loading />
  if (deliveries.data === undefined)
    return <Failed error={deliveries.error} onRetry={() => void deliveries.refetch()} />
  const { rows, hidden, notifications, isCut } = deliveries.data
  return (
    <>
      {hidden.length > 0 && <Notice kind="info">{words.hidden(hidden.join(', '))}</Notice>}
      {isCut && <Notice kind="warning">{words.cut}</Notice>}
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
