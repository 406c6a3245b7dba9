import { Button } from '@mantine/core'
import type { Schemas } from '@gangway/client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { Name } from '../../parts/Id.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { Empty, Failed, Loading } from '../../parts/State.tsx'
import { Severity, StateMark, type StateKind } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { shownRows, usePagedList } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { ValueText } from '../../parts/Value.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Assets.module.css'
import type { Asset } from './contents.ts'
import { useAssetAlarms } from './use-asset-alarms.ts'

type Status = Schemas['AlarmStatus']

const PAGE = 50

/** Open alarms of an asset, active ones first, and the history of cleared alarms. */
export default function AlarmsTab({ asset }: { asset: Asset }) {
  const { alarms: words } = useWords('assets')
  const api = useApi()
  const format = useFormat()
  const cache = useQueryClient()
  const [failure, setFailure] = useState<unknown>(null)
  const open = useAssetAlarms(asset.id)
  const columns = useAlarmColumns()
  const history = usePagedList<Status>(['asset-alarms', asset.id, 'cleared'], (cursor, signal) =>
    api.page('/v1/alarms/status/history', {
      query: { entityId: asset.id, limit: PAGE, cursor },
      signal: withTimeout(signal),
    }),
  )
  if (open.isPending) return <Loading />
  if (open.data === undefined) return <Failed error={open.error} onRetry={() => void open.refetch()} />
  const acknowledge = async (statuses: Status[]) => {
    setFailure(null)
    try {
      for (const { alarmStatusId } of statuses.filter(({ acknowledged }) => !acknowledged))
        await api.put('/v1/alarms/status/acknowledge/{alarmStatusId}', {
          path: { alarmStatusId },
          signal: withTimeout(),
        })
    } catch (error) {
      setFailure(error)
    }
    await cache.invalidateQueries({ queryKey: ['asset-alarms', asset.id] })
  }
  const shared = {
    rowKey: ({ alarmStatusId }: Status) => alarmStatusId,
    rowName: ({ alarmName, activatedAt }: Status) => `${alarmName} ${format.full(activatedAt)}`,
    fit: 'content' as const,
  }
  return (
    <div className={styles.scroll}>
      {failure !== null && <Refusal error={failure} />}
      <DataTable
        {...shared}
        name="asset-alarms"
        label={words.open}
        source={shownRows(open.data)}
        columns={[
          ...columns,
          {
            id: 'acknowledge',
            title: words.acknowledged,
            width: 'minmax(126px, 160px)',
            isOnPhone: true,
            render: (status) => <Acknowledged status={status} onAcknowledge={() => acknowledge([status])} />,
          },
        ]}
        bulk={[{ label: words.acknowledgeSelected, onRun: (rows) => void acknowledge(rows) }]}
        empty={<Empty icon="good" title={words.none} text={words.noneText} />}
      />
      {(history.rows.length > 0 || history.error !== null) && (
        <div>
          <h2 className={styles.subtitle}>{words.cleared}</h2>
          <DataTable
            {...shared}
            name="asset-alarms-cleared"
            label={words.cleared}
            source={{ ...history, refresh: undefined }}
            columns={[
              ...columns.filter(({ id }) => id !== 'state'),
              {
                id: 'cleared',
                title: words.clearedAt,
                width: 'minmax(104px, 160px)',
                isOnPhone: true,
                render: ({ clearedAt }) => clearedAt !== null && <RelativeTime at={clearedAt} />,
              },
            ]}
            empty={null}
          />
        </div>
      )}
    </div>
  )
}

function Acknowledged({ status, onAcknowledge }: { status: Status; onAcknowledge: () => Promise<void> }) {
  const { alarms: words } = useWords('assets')
  const [isRunning, setRunning] = useState(false)
  if (status.acknowledgedAt !== null) return <RelativeTime at={status.acknowledgedAt} />
  return (
    <Button
      size="compact-xs"
      loading={isRunning}
      onClick={() => {
        setRunning(true)
        void onAcknowledge().finally(() => setRunning(false))
      }}
    >
      {words.acknowledge}
    </Button>
  )
}

function useAlarmColumns(): Column<Status>[] {
  const { alarms: words } = useWords('assets')
  return [
    {
      id: 'name',
      title: words.alarm,
      width: 'minmax(92px, 2fr)',
      render: ({ alarmName }) => <Name>{alarmName}</Name>,
    },
    {
      id: 'severity',
      title: words.severity,
      width: 'minmax(96px, 120px)',
      belowOnPhone: 'name',
      render: ({ severity }) => <Severity severity={severity} />,
    },
    {
      id: 'state',
      title: words.state,
      width: 'minmax(88px, 130px)',
      isOnPhone: true,
      render: ({ active }) => (
        <StateMark state={stateOf(active)}>{active ? words.active : words.inactive}</StateMark>
      ),
    },
    {
      id: 'since',
      title: words.since,
      width: 'minmax(104px, 160px)',
      render: ({ activatedAt }) => <RelativeTime at={activatedAt} />,
    },
    {
      id: 'value',
      title: words.value,
      width: 'minmax(80px, 1fr)',
      render: ({ value }) => value !== null && value !== undefined && <ValueText value={value} />,
    },
  ]
}

const stateOf = (active: boolean): StateKind => (active ? 'bad' : 'off')
