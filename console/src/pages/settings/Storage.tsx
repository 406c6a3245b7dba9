import type { Answer } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { Empty, Failed, Loading, Notice } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { shownRows } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { Fact } from './Fact.tsx'
import styles from './Settings.module.css'

type Usage = Answer<'get', '/v1/telemetry/storage'>
type Age = Usage['ages'][number]

/** Measuring a long history takes a while. */
const TIMEOUT_MS = 60_000

/** What the telemetry of the tenant takes on disk, by age, and how it grows. */
export function Storage() {
  const { storage: words } = useWords('settings')
  const format = useFormat()
  const api = useApi()
  const columns = useColumns()
  const usage = useQuery({
    queryKey: ['storage'],
    queryFn: ({ signal }) =>
      api.get('/v1/telemetry/storage', { signal: withTimeout(signal, TIMEOUT_MS), timeoutMs: TIMEOUT_MS }),
  })
  if (usage.isPending) return <Loading rows={4} />
  if (usage.data === undefined) return <Failed error={usage.error} onRetry={() => void usage.refetch()} />
  const { values, bytes, bytesPerValue, growth, disk, measuredAt, isEstimate } = usage.data
  return (
    <div className={styles.sections}>
      {isEstimate && <Notice kind="info">{words.estimate}</Notice>}
      <dl className={styles.cards}>
        <Fact name={words.values} detail={<RelativeTime at={measuredAt} />}>
          {format.number(values)}
        </Fact>
        <Fact
          name={words.bytes}
          detail={bytesPerValue === null ? undefined : words.perValue(format.number(bytesPerValue))}
        >
          {format.bytes(bytes)}
        </Fact>
        <Fact name={words.growth} detail={words.growthOf(growth.days, format.number(growth.valuesPerDay))}>
          {format.bytes(growth.bytesPerDay)}
        </Fact>
        <Fact name={words.expiring} detail={words.expiringText}>
          {format.bytes(growth.expiringBytesPerDay)}
        </Fact>
        {disk !== null && (
          <Fact
            name={words.free}
            detail={
              disk.daysLeft === null
                ? words.noGrowth
                : words.daysLeft(format.number(Math.floor(disk.daysLeft)))
            }
          >
            {format.bytes(disk.freeBytes)}
          </Fact>
        )}
      </dl>
      <DataTable
        name="storage-ages"
        label={words.byAge}
        fit="content"
        source={shownRows(usage.data.ages)}
        columns={columns}
        rowKey={({ tier, fromDays }) => `${tier} ${fromDays}`}
        rowName={({ tier }) => words.tiers[tier]}
        empty={<Empty icon="explore" title={words.emptyTitle} text={words.emptyText} />}
      />
    </div>
  )
}

function useColumns(): Column<Age>[] {
  const { storage: words } = useWords('settings')
  const format = useFormat()
  return [
    {
      id: 'age',
      title: words.age,
      width: 'minmax(120px, 2fr)',
      render: ({ fromDays, toDays }) =>
        fromDays === 0
          ? words.today
          : toDays === null
            ? words.older(format.number(fromDays))
            : words.days(format.number(fromDays), format.number(toDays - 1)),
    },
    { id: 'tier', title: words.tier, render: ({ tier }) => words.tiers[tier] },
    {
      id: 'values',
      title: words.values,
      align: 'end',
      render: ({ values }) => format.number(values),
    },
    {
      id: 'bytes',
      title: words.bytes,
      align: 'end',
      isOnPhone: true,
      render: ({ bytes }) => format.bytes(bytes),
    },
  ]
}
