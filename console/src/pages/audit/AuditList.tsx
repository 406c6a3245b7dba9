import { Button } from '@mantine/core'
import { useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { resolveRange, timeRange } from '../../parts/time/time-range.ts'
import { TimeRangePicker } from '../../parts/time/TimeRangePicker.tsx'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { Actor } from './Actor.tsx'
import { AuditedObject } from './AuditedObject.tsx'
import type { Entry } from './entry.ts'
import { useAuditFilters } from './use-audit-filters.ts'

const EntryPanel = lazyPart(() => import('./EntryPanel.tsx'))

const fields = { range: timeRange('30d'), type: text(), id: text(), actor: text(), action: text() }
const PAGE = 100

/** Who changed what and when, newest first. */
export default function AuditList() {
  const words = useWords('audit')
  const api = useApi()
  const [state, change] = useUrlState(fields)
  const [shown, setShown] = useState<Entry | null>(null)
  const { range, type, id, actor, action } = state
  const query = {
    limit: PAGE,
    resourceType: type || undefined,
    resourceId: id || undefined,
    actorId: actor || undefined,
    action: action || undefined,
  }
  const source = usePagedList<Entry>(['audit', query, range], (cursor, signal) =>
    api.page('/v1/audit-log', {
      query: { ...query, ...writeSpan(range), cursor },
      signal: withTimeout(signal),
    }),
  )
  return (
    <ListPage
      title={words.title}
      text={source.rows.length === 0 ? words.what : undefined}
      actions={
        <>
          <TimeRangePicker value={range} onChange={(next) => void change({ range: next })} />
          <CodeExamples
            requests={[listExample('/v1/audit-log', { query: { ...query, ...writeSpan(range) } })]}
          />
        </>
      }
    >
      <DataTable
        name="audit"
        label={words.title}
        source={source}
        columns={useColumns(setShown)}
        rowKey={(entry) => entry.id}
        onRowOpen={setShown}
        rowName={(entry) => words.rowName(words.actions[entry.action] ?? entry.action, entry.resourceId)}
        filters={useAuditFilters({ state, change, rows: source.rows })}
        empty={<Empty icon="audit" title={words.noneTitle} text={words.noneText} />}
      />
      {shown !== null && (
        <PartBoundary>
          <EntryPanel entry={shown} onClose={() => setShown(null)} />
        </PartBoundary>
      )}
    </ListPage>
  )
}

/** A span up to now has no end, so that a refresh brings what has been written since. */
function writeSpan(range: Parameters<typeof resolveRange>[0]) {
  const { fromMs, toMs } = resolveRange(range, Date.now())
  return {
    from: new Date(fromMs).toISOString(),
    ...(range.kind === 'fixed' && { to: new Date(toMs).toISOString() }),
  }
}

function useColumns(onShow: (entry: Entry) => void): Column<Entry>[] {
  const words = useWords('audit')
  const common = useWords('common')
  const access = useWords('access')
  const format = useFormat()
  return [
    {
      id: 'what',
      title: words.object,
      width: 'minmax(104px, 3fr)',
      render: (entry) => <AuditedObject entry={entry} />,
    },
    {
      id: 'action',
      title: words.action,
      width: 'minmax(96px, 1.4fr)',
      render: ({ action }) => words.actions[action] ?? action,
    },
    {
      id: 'who',
      title: words.who,
      width: 'minmax(120px, 2fr)',
      render: (entry) => <Actor entry={entry} />,
    },
    {
      id: 'at',
      title: words.at,
      width: '96px',
      isOnPhone: true,
      render: ({ at }) => <RelativeTime at={at} />,
    },
    {
      id: 'zoned',
      title: words.zoned(format.zone),
      width: '220px',
      isOptional: true,
      render: ({ at }) => format.full(at),
    },
    {
      id: 'show',
      title: common.actions,
      width: '120px',
      align: 'end',
      isOnPhone: true,
      render: (entry) => (
        <Button
          size="compact-xs"
          aria-label={words.showOf(
            words.actions[entry.action] ?? entry.action,
            access.types[entry.resourceType] ?? words.types[entry.resourceType] ?? entry.resourceType,
          )}
          onClick={() => onShow(entry)}
        >
          {words.show}
        </Button>
      ),
    },
  ]
}
