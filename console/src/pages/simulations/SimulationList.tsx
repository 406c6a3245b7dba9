import { useRouter } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { Name } from '../../parts/Id.tsx'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Empty } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { CreateButton } from '../access/CreateButton.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { type Simulation, simulationMarks } from './simulation.ts'

const fields = { search: text() }
const PAGE = 100
const REFRESH_MS = 15_000

/** Simulations of the organizations where the user manages devices. */
export default function SimulationList() {
  const words = useWords('simulations')
  const api = useApi()
  const router = useRouter()
  const [{ search }, change] = useUrlState(fields)
  const query = useMemo(() => ({ limit: PAGE, search: search || undefined }), [search])
  const source = usePagedList<Simulation>(
    ['simulations', query],
    (cursor, signal) =>
      api.page('/v1/simulations', { query: { ...query, cursor }, signal: withTimeout(signal) }),
    { refreshMs: REFRESH_MS },
  )
  const create = (
    <CreateButton
      privilege="provider_client_management"
      onClick={() => void router.navigate(links.newSimulation() as never)}
    >
      {words.create}
    </CreateButton>
  )
  return (
    <ListPage
      title={words.title}
      text={source.rows.length === 0 ? words.what : undefined}
      actions={
        <>
          <CodeExamples requests={[listExample('/v1/simulations', { query })]} />
          {create}
        </>
      }
    >
      <DataTable
        name="simulations"
        label={words.title}
        source={source}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={({ displayName }) => displayName}
        rowLink={({ id }) => links.simulation(id)}
        search={{ value: search, onChange: (next) => void change({ search: next }), label: words.search }}
        empty={<Empty icon="simulations" title={words.emptyTitle} text={words.emptyText} action={create} />}
      />
    </ListPage>
  )
}

function useColumns(): Column<Simulation>[] {
  const words = useWords('simulations')
  const format = useFormat()
  const number = (id: string, title: string, count: (simulation: Simulation) => number) =>
    ({
      id,
      title,
      width: '112px',
      align: 'end',
      render: (simulation: Simulation) => format.number(count(simulation)),
    }) satisfies Column<Simulation>
  return [
    {
      id: 'name',
      title: words.name,
      width: 'minmax(140px, 2fr)',
      render: ({ displayName }) => <Name>{displayName}</Name>,
    },
    {
      id: 'state',
      title: words.state,
      width: 'minmax(104px, 128px)',
      isOnPhone: true,
      render: ({ state }) => <StateMark state={simulationMarks[state]}>{words.states[state]}</StateMark>,
    },
    number('devices', words.devices, ({ count }) => count),
    number('connected', words.connected, ({ progress }) => progress.connected),
    number('acknowledged', words.acknowledged, ({ progress }) => progress.acknowledged),
    number('errors', words.errors, ({ progress }) => progress.errors),
    number('faults', words.faults, ({ faults }) => faults.length),
    {
      id: 'started',
      title: words.started,
      width: 'minmax(96px, 144px)',
      render: ({ startedAt }) => (startedAt === null ? words.notStarted : <RelativeTime at={startedAt} />),
    },
    {
      id: 'provider',
      title: words.provider,
      width: 'minmax(96px, 1fr)',
      isOptional: true,
      render: ({ providerId }) => <Name>{providerId}</Name>,
    },
  ]
}
