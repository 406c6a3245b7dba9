import type { Schemas } from '@gangway/client'
import { useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { Id, Name } from '../../parts/Id.tsx'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { CreateButton } from '../access/CreateButton.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { PeopleNav } from './PeopleNav.tsx'
import { UserState } from './UserState.tsx'

const CreateUser = lazyPart(() => import('./CreateUser.tsx'))

type User = Schemas['User']
const fields = { search: text() }
const PAGE = 100

/** All users that the caller may view. */
export default function UserList() {
  const words = useWords('people')
  const api = useApi()
  const [{ search }, change] = useUrlState(fields)
  const [isCreating, setCreating] = useState(false)
  const query = { limit: PAGE, search: search || undefined }
  const source = usePagedList<User>(['users', query], (cursor, signal) =>
    api.page('/v1/users', { query: { ...query, cursor }, signal: withTimeout(signal) }),
  )
  const create = (
    <CreateButton privilege="user_management" onClick={() => setCreating(true)}>
      {words.create.action}
    </CreateButton>
  )
  return (
    <>
      <PeopleNav />
      <ListPage
        title={words.title}
        text={source.rows.length === 0 ? words.what : undefined}
        actions={
          <>
            <CodeExamples requests={[listExample('/v1/users', { query })]} />
            {create}
          </>
        }
      >
        <DataTable
          name="users"
          label={words.users}
          source={source}
          columns={useColumns()}
          rowKey={({ id }) => id}
          rowName={({ displayName }) => displayName}
          rowLink={({ id }) => links.user(id)}
          search={{ value: search, onChange: (next) => void change({ search: next }), label: words.search }}
          empty={<Empty icon="people" title={words.emptyTitle} text={words.emptyText} action={create} />}
        />
        {isCreating && (
          <PartBoundary>
            <CreateUser onClose={() => setCreating(false)} />
          </PartBoundary>
        )}
      </ListPage>
    </>
  )
}

function useColumns(): Column<User>[] {
  const words = useWords('people')
  return [
    {
      id: 'name',
      title: words.name,
      width: 'minmax(140px, 2fr)',
      render: ({ displayName }) => <Name>{displayName}</Name>,
    },
    {
      id: 'email',
      title: words.email,
      width: 'minmax(140px, 2fr)',
      render: ({ email }) => (email === null ? words.noEmail : <Name>{email}</Name>),
    },
    {
      id: 'phone',
      title: words.phone,
      width: '140px',
      isOptional: true,
      render: ({ phoneNumber }) => phoneNumber,
    },
    {
      id: 'state',
      title: words.state,
      width: '104px',
      isOnPhone: true,
      render: ({ disabled }) => <UserState isDisabled={disabled} />,
    },
    {
      id: 'id',
      title: words.id,
      width: 'minmax(120px, 1fr)',
      isOptional: true,
      render: ({ id }) => <Id value={id} name={words.id} />,
    },
  ]
}
