import type { Schemas } from '@gangway/client'
import { useMemo, useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { Name } from '../../parts/Id.tsx'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Empty } from '../../parts/State.tsx'
import { type StateKind, StateMark } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { choice, text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { useHealth } from './use-health.ts'

type Job = Schemas['Job']

const states = ['waiting', 'running', 'failed'] as const
const fields = { state: choice(['', ...states]), task: text() }
const PAGE = 100
/** An open page stays well within the requests of an account. */
const REFRESH_MS = 20_000

const marks: Record<Job['state'], StateKind> = { waiting: 'off', running: 'active', failed: 'bad' }

/** Jobs of the installation; "Why?" says why the last try of one failed. */
export default function JobList() {
  const { title, jobs: words } = useWords('system')
  const api = useApi()
  const { data: health } = useHealth()
  const [{ state, task }, change] = useUrlState(fields)
  const [shown, setShown] = useState<Job | null>(null)
  const query = useMemo(
    () => ({ limit: PAGE, state: state === '' ? undefined : state, task: task || undefined }),
    [state, task],
  )
  const source = usePagedList<Job>(
    ['jobs', query],
    (cursor, signal) =>
      api.page('/v1/system/jobs', { query: { ...query, cursor }, signal: withTimeout(signal) }),
    { refreshMs: REFRESH_MS },
  )
  const tasks = [...new Set([...(health?.jobs ?? []).map((row) => row.task), ...(task === '' ? [] : [task])])]
  return (
    <ListPage
      parent={{ title, link: links.system() }}
      title={words.title}
      text={words.what}
      actions={<CodeExamples requests={[listExample('/v1/system/jobs', { query })]} />}
    >
      <DataTable
        name="jobs"
        label={words.title}
        source={source}
        columns={useColumns(setShown)}
        rowKey={({ id }) => id}
        rowName={(row) => `${row.task} ${row.id}`}
        filters={[
          {
            id: 'state',
            label: words.state,
            options: states.map((value) => ({ value, label: words.states[value] })),
            value: state,
            onChange: (next) => void change({ state: next as typeof state }),
          },
          {
            id: 'task',
            label: words.task,
            options: tasks.map((value) => ({ value, label: value })),
            value: task,
            onChange: (next) => void change({ task: next }),
          },
        ]}
        empty={<Empty icon="good" title={words.noneTitle} text={words.noneText} />}
      />
      {shown !== null && (
        <WhyPanel
          isOpen
          onClose={() => setShown(null)}
          reason={<bdi>{shown.lastError ?? words.noError}</bdi>}
          code={shown.state}
          cure={words.cures[shown.state]}
        />
      )}
    </ListPage>
  )
}

function useColumns(onWhy: (job: Job) => void): Column<Job>[] {
  const { jobs: words } = useWords('system')
  const format = useFormat()
  return [
    { id: 'task', title: words.task, width: 'minmax(140px, 2fr)', render: ({ task }) => <Name>{task}</Name> },
    {
      id: 'state',
      title: words.state,
      width: 'minmax(148px, 1.2fr)',
      isOnPhone: true,
      render: (row) => (
        <>
          <StateMark state={marks[row.state]}>{words.states[row.state]}</StateMark>{' '}
          {row.lastError !== null && <WhyButton onClick={() => onWhy(row)} />}
        </>
      ),
    },
    {
      id: 'error',
      title: words.lastError,
      width: 'minmax(140px, 3fr)',
      render: ({ lastError }) => lastError !== null && <Name>{lastError}</Name>,
    },
    {
      id: 'run',
      title: words.runAt,
      width: 'minmax(112px, 150px)',
      render: ({ state, runAt }) => state === 'waiting' && <RelativeTime at={runAt} />,
    },
    {
      id: 'created',
      title: words.created,
      width: 'minmax(112px, 150px)',
      render: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      id: 'attempts',
      title: words.attempts,
      width: '88px',
      align: 'end',
      render: ({ attempts, maxAttempts }) =>
        words.attemptsOf(format.number(attempts), format.number(maxAttempts)),
    },
  ]
}
