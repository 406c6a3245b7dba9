import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMemo } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { Name } from '../../parts/Id.tsx'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { CreateButton } from '../access/CreateButton.tsx'
import { readBoard } from './board/board.ts'
import type { Dashboard } from './use-dashboard.ts'

const CreateDashboard = lazyPart(() => import('./CreateDashboard.tsx'))
const DeletedDashboards = lazyPart(() => import('./DeletedDashboards.tsx'))

const fields = { search: text() }
/** A small page, since each dashboard includes its whole data. */
const PAGE = 50

export default function DashboardList() {
  const words = useWords('dashboards')
  const api = useApi()
  const [{ search }, change] = useUrlState(fields)
  const [isCreating, creation] = useDisclosure()
  const [isRestoring, restoring] = useDisclosure()
  const query = useMemo(() => ({ limit: PAGE, search: search || undefined }), [search])
  const source = usePagedList<Dashboard>(['dashboards', query], (cursor, signal) =>
    api.page('/v1/dashboards', { query: { ...query, cursor }, signal: withTimeout(signal) }),
  )
  const create = (
    <CreateButton privilege="dashboard_management" onClick={creation.open}>
      {words.create}
    </CreateButton>
  )
  return (
    <ListPage
      title={words.title}
      text={source.rows.length === 0 ? words.what : undefined}
      actions={
        <>
          <CodeExamples requests={[listExample('/v1/dashboards', { query })]} />
          <Button onClick={restoring.open}>{words.deleted}</Button>
          {create}
        </>
      }
    >
      <DataTable
        name="dashboards"
        label={words.title}
        source={source}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={({ displayName }) => displayName}
        rowLink={({ id }) => links.dashboard(id)}
        search={{ value: search, onChange: (next) => void change({ search: next }), label: words.search }}
        empty={<Empty icon="dashboards" title={words.emptyTitle} text={words.emptyText} action={create} />}
      />
      <PartBoundary>
        {isCreating && <CreateDashboard onClose={creation.close} />}
        {isRestoring && <DeletedDashboards onClose={restoring.close} />}
      </PartBoundary>
    </ListPage>
  )
}

function useColumns(): Column<Dashboard>[] {
  const words = useWords('dashboards')
  const format = useFormat()
  return [
    {
      id: 'name',
      title: words.name,
      width: 'minmax(140px, 1.4fr)',
      render: ({ displayName }) => <Name>{displayName}</Name>,
    },
    {
      id: 'description',
      title: words.description,
      width: 'minmax(140px, 2fr)',
      render: ({ description }) => description !== null && <Name>{description}</Name>,
    },
    {
      id: 'widgets',
      title: words.widgets,
      width: '112px',
      align: 'end',
      isOnPhone: true,
      render: ({ data }) => {
        const board = readBoard(data)
        return board === null ? words.foreign : format.number(board.widgets.length + board.foreign.length)
      },
    },
    {
      id: 'version',
      title: words.version,
      width: '96px',
      align: 'end',
      render: ({ version }) => format.number(version),
    },
  ]
}
