import { ApiError, type Answer } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { Name } from '../../parts/Id.tsx'
import { Empty, Failed, Loading } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { shownRows } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'
import type { Device } from './connection.ts'
import styles from './Devices.module.css'

const route = '/v1/providers/{providerId}/clients/{clientId}/limits'
type Limit = Answer<'get', typeof route>['limits'][number]

/** Limits of the device; those that were applied most recently come first. */
export default function LimitsTab({ device }: { device: Device }) {
  const { limits: words } = useWords('devices')
  const format = useFormat()
  const api = useApi()
  const [shown, setShown] = useState<Limit | null>(null)
  const path = { providerId: device.providerId, clientId: device.id }
  const ledger = useQuery({
    queryKey: ['limits', path],
    queryFn: ({ signal }) => api.get(route, { path, signal }),
  })
  if (ledger.isPending) return <Loading />
  if (ledger.error instanceof ApiError && ledger.error.status === 409)
    return <Empty icon="info" title={words.noneTitle} text={words.noneText} />
  if (ledger.data === undefined) return <Failed error={ledger.error} onRetry={() => void ledger.refetch()} />
  const rows = ledger.data.limits.toSorted((a, b) => newest(b).localeCompare(newest(a)))
  const isQuiet = rows.every(({ events }) => events.length === 0)
  const columns: Column<Limit>[] = [
    {
      id: 'limit',
      title: words.limit,
      width: 'minmax(140px, 200px)',
      render: ({ limit }) => <code>{limit}</code>,
    },
    {
      id: 'value',
      title: words.value,
      width: 'minmax(120px, 180px)',
      align: 'end',
      render: ({ value, unit }) =>
        value === null
          ? words.unlimited
          : unit === 'bytes'
            ? format.bytes(value)
            : `${format.number(value)} ${unit}`,
    },
    {
      id: 'what',
      title: words.what,
      width: 'minmax(160px, 3fr)',
      render: ({ description }) => <Name>{description}</Name>,
    },
    {
      id: 'outcome',
      title: words.outcome,
      width: 'minmax(140px, 2fr)',
      isOnPhone: true,
      render: (limit) =>
        limit.events.length > 0 && (
          <>
            <StateMark state="warning">
              {limit.events
                .map(({ outcome, count }) => `${format.number(count)} ${words.outcomes[outcome]}`)
                .join(', ')}
            </StateMark>{' '}
            <WhyButton onClick={() => setShown(limit)} />
          </>
        ),
    },
    {
      id: 'last',
      title: words.last,
      width: 'minmax(112px, 160px)',
      render: (limit) => limit.events.length > 0 && <RelativeTime at={newest(limit)} />,
    },
  ]
  return (
    <>
      <div className={styles.bar}>
        <p>
          {words.text} {isQuiet && words.quiet}
        </p>
      </div>
      <DataTable
        name="limits"
        label={words.limit}
        source={{ ...shownRows(rows), refresh: () => void ledger.refetch() }}
        columns={columns}
        rowKey={({ limit }) => limit}
        rowName={({ limit }) => limit}
        empty={<Empty icon="good" title={words.quiet} />}
      />
      {shown !== null && (
        <WhyPanel
          isOpen
          onClose={() => setShown(null)}
          title={words.whyTitle(shown.limit)}
          reason={shown.description}
          facts={shown.events.flatMap(({ outcome, count, message, bytes, delayMs, firstAt, lastAt }) => [
            [words.outcome, `${format.number(count)} ${words.outcomes[outcome]}`] as [string, string],
            [words.last, format.full(lastAt)],
            [words.first, format.full(firstAt)],
            ...(bytes > 0 ? [[words.bytes, format.bytes(bytes)] as [string, string]] : []),
            ...(delayMs > 0 ? [[words.delay, format.duration(delayMs)] as [string, string]] : []),
            ['', message],
          ])}
        />
      )}
    </>
  )
}

const newest = ({ events }: Limit) =>
  events.reduce((latest, { lastAt }) => (lastAt > latest ? lastAt : latest), '')
