import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import type { Status } from './status.ts'
import { useAlarmColumns } from './use-alarm-columns.tsx'

const PAGE = 100
const hidden = ['name', 'asset']

/** Cleared activations of the same rule on the same asset. */
export default function BeforeTab({ status }: { status: Status }) {
  const words = useWords('alarms')
  const api = useApi()
  const format = useFormat()
  const query = { alarmId: status.alarmId, entityId: status.entityId, limit: PAGE }
  const source = usePagedList<Status>(['alarms', 'before', query], (cursor, signal) =>
    api.page('/v1/alarms/status/history', { query: { ...query, cursor }, signal: withTimeout(signal) }),
  )
  const columns = useAlarmColumns('history', () => {})
  const lasted: Column<Status> = {
    id: 'lasted',
    title: words.before.lasted,
    width: 'minmax(96px, 130px)',
    isOnPhone: true,
    render: ({ activatedAt, inactiveAt, clearedAt }) => {
      const end = inactiveAt ?? clearedAt
      return end !== null && format.duration(Date.parse(end) - Date.parse(activatedAt))
    },
  }
  const [since, ...others] = columns
    .filter(({ id }) => !hidden.includes(id))
    .toSorted((a, b) => Number(b.id === 'since') - Number(a.id === 'since'))
  return (
    <DataTable
      name="alarms-before"
      label={words.before.title}
      source={source}
      columns={[since!, lasted, ...others]}
      rowKey={({ alarmStatusId }) => alarmStatusId}
      rowName={({ alarmName, activatedAt }) => words.rowName(alarmName, format.full(activatedAt))}
      rowLink={({ alarmStatusId }) => links.alarm(alarmStatusId)}
      empty={<Empty icon="alarm" title={words.before.noneTitle} text={words.before.noneText} />}
    />
  )
}
