import { useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { fields, type Status, writeQuery } from './status.ts'
import { useAlarmColumns } from './use-alarm-columns.tsx'
import { useAlarmFilters } from './use-alarm-filters.ts'
import { useLiveAlarms } from './use-live-alarms.ts'

const AcknowledgeDialog = lazyPart(() => import('./AcknowledgeDialog.tsx'))

const PAGE = 100
/** Also finds alarms on assets that were created after the page was opened. */
const REFRESH_MS = 60_000
const routes = { open: '/v1/alarms/status', history: '/v1/alarms/status/history' } as const

/** All alarms that are open, or were, over all assets. */
export default function AlarmList() {
  const words = useWords('alarms')
  const api = useApi()
  const [state, change] = useUrlState(fields)
  const [acknowledged, setAcknowledged] = useState<Status[] | null>(null)
  const route = routes[state.show]
  const query = { limit: PAGE, ...writeQuery(state) }
  const key = ['alarms', state.show, query]
  const source = usePagedList<Status>(
    key,
    (cursor, signal) => api.page(route, { query: { ...query, cursor }, signal: withTimeout(signal) }),
    { refreshMs: REFRESH_MS },
  )
  const { isCut } = useLiveAlarms(key, state, source)
  const columns = useAlarmColumns(state.show, (status) => setAcknowledged([status]))
  const filters = useAlarmFilters({ state, change })
  const isOpen = state.show === 'open'
  return (
    <ListPage
      title={words.title}
      text={source.rows.length === 0 ? words.what : undefined}
      actions={<CodeExamples requests={[listExample(route, { query })]} />}
    >
      <DataTable
        key={state.show}
        name={isOpen ? 'alarms' : 'alarms-history'}
        label={isOpen ? words.open : words.history}
        source={source}
        columns={columns}
        rowKey={({ alarmStatusId }) => alarmStatusId}
        rowName={({ alarmName, entityName }) => words.rowName(alarmName, entityName)}
        rowLink={({ alarmStatusId }) => links.alarm(alarmStatusId)}
        filters={filters}
        bulk={isOpen ? [{ label: words.acknowledge.selected, onRun: setAcknowledged }] : undefined}
        partial={isCut ? words.notAllLive : undefined}
        empty={
          isOpen ? (
            <Empty icon="good" title={words.noneTitle} text={words.noneText} />
          ) : (
            <Empty icon="alarm" title={words.noHistoryTitle} text={words.noHistoryText} />
          )
        }
      />
      {acknowledged !== null && (
        <PartBoundary>
          <AcknowledgeDialog statuses={acknowledged} onClose={() => setAcknowledged(null)} />
        </PartBoundary>
      )}
    </ListPage>
  )
}
