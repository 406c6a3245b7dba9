import { useFormat } from '../../format.ts'
import { Empty, Failed, Loading } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { shownRows } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import type { Device } from './connection.ts'
import { type ConnectionEvent, useConnections } from './use-connections.ts'

interface Row extends ConnectionEvent {
  /** Duration of the connection, if its beginning is known. */
  lastedMs: number | undefined
}

const fields = { event: text() }

/** Connections of the device, with the reasons for their ends. */
export default function ConnectionsTab({ device }: { device: Device }) {
  const { connections: words } = useWords('devices')
  const format = useFormat()
  const events = useConnections(device)
  const [{ event: shownId }, change] = useUrlState(fields)
  if (events.isPending) return <Loading />
  if (events.data === undefined) return <Failed error={events.error} onRetry={() => void events.refetch()} />
  const rows = withDurations(events.data)
  const shown = rows.find(({ id }) => id === shownId)
  const close = () => void change({ event: '' })
  const columns: Column<Row>[] = [
    {
      id: 'event',
      title: words.event,
      width: 'minmax(120px, 160px)',
      render: ({ event, reason }) => (
        <StateMark state={event === 'connected' ? 'good' : reason === 'client_disconnected' ? 'off' : 'bad'}>
          {words[event]}
        </StateMark>
      ),
    },
    {
      id: 'at',
      title: words.time,
      width: 'minmax(104px, 160px)',
      isOnPhone: true,
      render: ({ at }) => <RelativeTime at={at} />,
    },
    {
      id: 'reason',
      title: words.reason,
      width: 'minmax(120px, 3fr)',
      isOnPhone: true,
      render: (row) =>
        row.event === 'connected' ? (
          row.resumed === null ? null : row.resumed ? (
            words.resumed
          ) : (
            words.fresh
          )
        ) : (
          <>
            {words.reasons[row.reason ?? ''] ?? <bdi>{row.message}</bdi>}{' '}
            <WhyButton onClick={() => void change({ event: row.id })} />
          </>
        ),
    },
    {
      id: 'lasted',
      title: words.lasted,
      width: 'minmax(88px, 120px)',
      render: ({ lastedMs }) => lastedMs !== undefined && format.duration(lastedMs),
    },
    {
      id: 'address',
      title: words.from,
      width: 'minmax(120px, 1fr)',
      render: ({ address }) => <code>{address}</code>,
    },
    {
      id: 'protocol',
      title: words.protocol,
      width: 'minmax(120px, 1fr)',
      render: ({ protocol, transport, tlsVersion }) =>
        [protocol, transport, tlsVersion].filter((part) => part !== null).join(', '),
    },
    {
      id: 'clientId',
      title: words.clientId,
      width: 'minmax(120px, 1fr)',
      isOptional: true,
      render: ({ clientId }) => <bdi>{clientId}</bdi>,
    },
  ]
  return (
    <>
      <DataTable
        name="connections"
        label={words.event}
        source={{ ...shownRows(rows), refresh: () => void events.refetch() }}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ event, at }) => `${words[event]} ${format.full(at)}`}
        empty={<Empty icon="devices" title={words.emptyTitle} text={words.emptyText} />}
      />
      {shownId !== '' && shown === undefined && (
        <WhyPanel isOpen onClose={close} title={words.whyTitle} reason={words.gone(rows.length)} />
      )}
      {shown !== undefined && (
        <WhyPanel
          isOpen
          onClose={close}
          title={words.whyTitle}
          reason={<bdi>{shown.message}</bdi>}
          code={shown.reason ?? undefined}
          cure={words.cures[shown.reason ?? '']}
          facts={[
            [words.time, format.full(shown.at)],
            ...(shown.address === null
              ? []
              : [[words.from, <code key="from">{shown.address}</code>] as [string, React.ReactNode]]),
            ...(shown.lastedMs === undefined
              ? []
              : [[words.lasted, format.duration(shown.lastedMs)] as [string, React.ReactNode]]),
          ]}
        />
      )}
    </>
  )
}

/** Adds the durations of ended connections, which began with the previous event of the MQTT client id. Newest first. */
function withDurations(events: ConnectionEvent[]): Row[] {
  return events.map((event, index) => {
    const begun = events.slice(index + 1).find(({ clientId }) => clientId === event.clientId)
    const isEnd = event.event === 'disconnected' && begun?.event === 'connected'
    return { ...event, lastedMs: isEnd ? Date.parse(event.at) - Date.parse(begun.at) : undefined }
  })
}
