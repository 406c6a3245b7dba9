import type { Item } from '@gangway/client'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import type { Device } from './connection.ts'
import { DeadLetterPanel } from './DeadLetterPanel.tsx'

type DeadLetter = Item<'/v1/providers/{providerId}/clients/{clientId}/dead-letters'>
const fields = { letter: text() }
const PAGE = 100
const REFRESH_MS = 15_000

/** Dead letters of the device, which are messages that could not be read. */
export default function MessagesTab({ device }: { device: Device }) {
  const { messages: words, tabs } = useWords('devices')
  const format = useFormat()
  const api = useApi()
  const [{ letter }, change] = useUrlState(fields)
  const path = { providerId: device.providerId, clientId: device.id }
  const source = usePagedList<DeadLetter>(
    ['dead-letters', device.providerId, device.id],
    (cursor, signal) =>
      api.page('/v1/providers/{providerId}/clients/{clientId}/dead-letters', {
        path,
        query: { limit: PAGE, cursor },
        signal,
      }),
    { refreshMs: REFRESH_MS },
  )
  const columns: Column<DeadLetter>[] = [
    {
      id: 'reason',
      title: words.reason,
      width: 'minmax(140px, 1.5fr)',
      render: ({ reason }) => words.reasons[reason] ?? <code>{reason}</code>,
    },
    {
      id: 'received',
      title: words.received,
      width: 'minmax(104px, 160px)',
      isOnPhone: true,
      render: ({ receivedAt }) => <RelativeTime at={receivedAt} />,
    },
    {
      id: 'payload',
      title: words.payload,
      width: 'minmax(160px, 4fr)',
      render: ({ payload }) => (
        <code>
          <bdi>{payload}</bdi>
        </code>
      ),
    },
    {
      id: 'topic',
      title: words.topic,
      width: 'minmax(120px, 2fr)',
      render: ({ topic }) => <bdi>{topic}</bdi>,
    },
    {
      id: 'size',
      title: words.size,
      width: 'minmax(72px, 96px)',
      align: 'end',
      render: ({ payloadBytes }) => format.bytes(payloadBytes),
    },
  ]
  return (
    <>
      <DataTable
        name="dead-letters"
        label={tabs.messages}
        source={source}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ reason, receivedAt }) => `${words.reasons[reason] ?? reason} ${format.full(receivedAt)}`}
        rowLink={({ id }) => links.device(device.providerId, device.id, { tab: 'messages', letter: id })}
        empty={<Empty icon="good" title={words.emptyTitle} text={words.emptyText} />}
      />
      {letter !== '' && (
        <DeadLetterPanel device={device} deadLetterId={letter} onClose={() => void change({ letter: '' })} />
      )}
    </>
  )
}
