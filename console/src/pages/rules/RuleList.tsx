import { useRouter } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { Name } from '../../parts/Id.tsx'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Empty } from '../../parts/State.tsx'
import { Severity, StateMark } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { CreateButton } from '../access/CreateButton.tsx'
import { useModels } from '../assets/use-models.ts'
import { withTimeout } from '../devices/timeout.ts'
import { describeCondition } from './conditions.ts'
import type { Rule } from './rule.ts'

const fields = { search: text() }
const PAGE = 100

/** The rules by which assets get alarms. */
export default function RuleList() {
  const words = useWords('rules')
  const api = useApi()
  const router = useRouter()
  const [{ search }, change] = useUrlState(fields)
  const query = useMemo(() => ({ limit: PAGE, search: search || undefined }), [search])
  const source = usePagedList<Rule>(['rules', query], (cursor, signal) =>
    api.page('/v1/alarms', { query: { ...query, cursor }, signal: withTimeout(signal) }),
  )
  const create = (
    <CreateButton privilege="alarm_management" onClick={() => void router.navigate(links.newRule() as never)}>
      {words.create}
    </CreateButton>
  )
  return (
    <ListPage
      title={words.title}
      text={source.rows.length === 0 ? words.what : undefined}
      actions={
        <>
          <CodeExamples requests={[listExample('/v1/alarms', { query })]} />
          {create}
        </>
      }
    >
      <DataTable
        name="rules"
        label={words.title}
        source={source}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        rowLink={({ id }) => links.rule(id)}
        search={{ value: search, onChange: (next) => void change({ search: next }), label: words.search }}
        empty={<Empty icon="rules" title={words.emptyTitle} text={words.emptyText} action={create} />}
      />
    </ListPage>
  )
}

function useColumns(): Column<Rule>[] {
  const words = useWords('rules')
  const models = useModels()
  const modelNames = new Map(models.map(({ id, displayName }) => [id, displayName]))
  return [
    {
      id: 'name',
      title: words.name,
      width: 'minmax(140px, 1.6fr)',
      render: ({ name }) => <Name>{name}</Name>,
    },
    {
      id: 'severity',
      title: words.severity,
      width: '104px',
      isOnPhone: true,
      render: ({ severity }) => <Severity severity={severity} />,
    },
    {
      id: 'condition',
      title: words.condition,
      width: 'minmax(160px, 2.4fr)',
      render: ({ condition }) =>
        condition !== null && <Name>{describeCondition(condition, words.joins) ?? condition}</Name>,
    },
    {
      id: 'model',
      title: words.model,
      width: 'minmax(120px, 1.4fr)',
      render: ({ entityTypeId }) =>
        entityTypeId !== null && <Name>{modelNames.get(entityTypeId) ?? entityTypeId}</Name>,
    },
    {
      id: 'watches',
      title: words.watches,
      width: 'minmax(120px, 1fr)',
      render: (rule) => {
        const isIdle = rule.entityTypeId === null || (rule.condition === null && rule.noDataSeconds === 0)
        if (isIdle) return <StateMark state="off">{words.watchesNothing}</StateMark>
        return rule.entityIds.length === 0 ? words.allAssets : words.someAssets(rule.entityIds.length)
      },
    },
  ]
}
