import type { Schemas } from '@gangway/client'
import { useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { Name } from '../../parts/Id.tsx'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { CreateButton } from '../access/CreateButton.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { PeopleNav } from './PeopleNav.tsx'

const CreateGroup = lazyPart(() => import('./CreateGroup.tsx'))

const fields = { search: text() }
const PAGE = 100

/** Groups of users that the caller may view. */
export default function GroupList() {
  const { title, group: words, name } = useWords('people')
  const api = useApi()
  const [{ search }, change] = useUrlState(fields)
  const [isCreating, setCreating] = useState(false)
  const query = { limit: PAGE, search: search || undefined }
  const source = usePagedList<Schemas['Group']>(['user-groups', query], (cursor, signal) =>
    api.page('/v1/groups', { query: { ...query, cursor }, signal: withTimeout(signal) }),
  )
  const create = (
    <CreateButton privilege="user_management" onClick={() => setCreating(true)}>
      {words.create}
    </CreateButton>
  )
  return (
    <>
      <PeopleNav />
      <ListPage
        parent={{ title, link: links.people() }}
        title={words.title}
        text={source.rows.length === 0 ? words.what : undefined}
        actions={
          <>
            <CodeExamples requests={[listExample('/v1/groups', { query })]} />
            {create}
          </>
        }
      >
        <DataTable
          name="user-groups"
          label={words.title}
          source={source}
          columns={[
            {
              id: 'name',
              title: name,
              width: 'minmax(140px, 1fr)',
              render: ({ displayName }) => <Name>{displayName}</Name>,
            },
            {
              id: 'description',
              title: words.description,
              width: 'minmax(140px, 2fr)',
              render: ({ description }) => description !== null && <Name>{description}</Name>,
            },
          ]}
          rowKey={({ id }) => id}
          rowName={({ displayName }) => displayName}
          rowLink={({ id }) => links.userGroup(id)}
          search={{ value: search, onChange: (next) => void change({ search: next }), label: words.search }}
          empty={<Empty icon="people" title={words.emptyTitle} text={words.emptyText} action={create} />}
        />
        {isCreating && (
          <PartBoundary>
            <CreateGroup onClose={() => setCreating(false)} />
          </PartBoundary>
        )}
      </ListPage>
    </>
  )
}
