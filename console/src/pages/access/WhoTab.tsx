import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../api/ApiProvider.tsx'
import { postPage } from '../../api/post-page.ts'
import { links } from '../../links.ts'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { choice, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { ObjectName } from './ObjectName.tsx'
import { type ListedType, type Permission, permissions, subjectKinds } from './objects.ts'

const PAGE = 100
const fields = { permission: choice(permissions), by: choice(subjectKinds) }

/** Everybody who has a permission on an object. */
export function WhoTab({ type, id }: { type: ListedType; id: string }) {
  const words = useWords('access')
  const common = useWords('common')
  const api = useApi()
  const router = useRouter()
  const [{ permission, by }, change] = useUrlState(fields)
  const source = usePagedList<string>(['permitted', type, id, permission, by], async (cursor, signal) => {
    const { answer, cursor: next } = await postPage(api, '/v1/permissions/subjects', {
      query: { limit: PAGE, cursor },
      body: { resourceType: type, resourceId: id, subjectType: by, permission },
      signal: withTimeout(signal),
    })
    return { items: answer, cursor: next }
  })
  const columns: Column<string>[] = [
    {
      id: 'subject',
      title: words.types[by]!,
      width: 'minmax(140px, 3fr)',
      render: (subject) => <ObjectName type={by} id={subject} />,
    },
    {
      id: 'why',
      title: common.actions,
      width: '96px',
      align: 'end',
      isOnPhone: true,
      render: (subject) => (
        <Button
          size="compact-xs"
          onClick={() =>
            void router.navigate(links.access(type, id, { tab: 'why', permission, by, subject }) as never)
          }
        >
          {words.who.why}
        </Button>
      ),
    },
  ]
  return (
    <DataTable
      name="permitted"
      label={words.who.label}
      source={source}
      columns={columns}
      rowKey={(subject) => subject}
      rowName={(subject) => subject}
      filters={[
        {
          id: 'permission',
          label: words.permission,
          options: permissions.map((value) => ({ value, label: words.permissions[value] })),
          value: permission,
          isRequired: true,
          onChange: (next) => void change({ permission: next as Permission }),
        },
        {
          id: 'by',
          label: words.subjectType,
          options: subjectKinds.map((value) => ({ value, label: words.types[value]! })),
          value: by,
          isRequired: true,
          onChange: (next) => void change({ by: next as typeof by }),
        },
      ]}
      empty={<Empty icon="key" title={words.who.noneTitle} text={words.who.noneText} />}
    />
  )
}
