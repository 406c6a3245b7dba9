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
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { CreateButton } from '../access/CreateButton.tsx'
import { withTimeout } from '../devices/timeout.ts'
import type { ContactGroup } from './contact-group.ts'

const fields = { search: text() }
const PAGE = 100

/** Groups of people whom notifications reach. */
export default function ContactGroupList() {
  const { group: words, description } = useWords('notifications')
  const format = useFormat()
  const api = useApi()
  const router = useRouter()
  const [{ search }, change] = useUrlState(fields)
  const query = useMemo(() => ({ limit: PAGE, search: search || undefined }), [search])
  const source = usePagedList<ContactGroup>(['contact-groups', query], (cursor, signal) =>
    api.page('/v1/contactgroups', { query: { ...query, cursor }, signal: withTimeout(signal) }),
  )
  const columns: Column<ContactGroup>[] = [
    {
      id: 'name',
      title: words.name,
      width: 'minmax(140px, 2fr)',
      render: ({ displayName }) => <Name>{displayName}</Name>,
    },
    {
      id: 'users',
      title: words.users,
      width: '96px',
      align: 'end',
      isOnPhone: true,
      render: ({ users }) => format.number(users.length),
    },
    {
      id: 'groups',
      title: words.groups,
      width: '112px',
      align: 'end',
      render: ({ userGroups }) => format.number(userGroups.length),
    },
    {
      id: 'description',
      title: description,
      width: 'minmax(140px, 3fr)',
      render: (row) => row.description !== null && <Name>{row.description}</Name>,
    },
  ]
  const create = (
    <CreateButton
      privilege="contact_group_management"
      onClick={() => void router.navigate(links.newContactGroup() as never)}
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
          <CodeExamples requests={[listExample('/v1/contactgroups', { query })]} />
          {create}
        </>
      }
    >
      <DataTable
        name="contact-groups"
        label={words.title}
        source={source}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ displayName }) => displayName}
        rowLink={({ id }) => links.contactGroup(id)}
        search={{ value: search, onChange: (next) => void change({ search: next }), label: words.search }}
        empty={<Empty icon="people" title={words.emptyTitle} text={words.emptyText} action={create} />}
      />
    </ListPage>
  )
}
