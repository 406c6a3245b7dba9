import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { Id } from '../../parts/Id.tsx'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { shownRows, usePagedList } from '../../parts/table/use-paged-list.ts'
import { useUser } from '../../session/SessionProvider.tsx'
import { choice, text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Access.module.css'
import { Icon } from '../../parts/Icon.tsx'
import { ENVIRONMENT } from './use-relations.ts'
import {
  iconOf,
  isListed,
  kinds,
  listObjects,
  listObjectsExample,
  listedTypes,
  type NamedObject,
} from './objects.ts'

const types = [
  'organization',
  'tenant',
  'environment',
  ...listedTypes.filter((type) => type !== 'organization'),
] as const
const fields = { type: choice(types), search: text() }
const PAGE = 100

/** Objects of one type, each of which leads to its access. */
export default function AccessList() {
  const words = useWords('access')
  const api = useApi()
  const user = useUser()
  const [{ type, search }, change] = useUrlState(fields)
  const listed = usePagedList<NamedObject>(
    ['objects', 'listed', type, search],
    (cursor, signal) =>
      listObjects(api, isListed(type) ? type : 'organization', {
        search,
        limit: PAGE,
        cursor,
        signal: withTimeout(signal),
      }),
    { isEnabled: isListed(type) },
  )
  // There is one of each.
  const only = type === 'tenant' ? user.tenantId : ENVIRONMENT
  const source = isListed(type) ? listed : shownRows([{ id: only, name: only }])
  // A tenant and the environment have no list; who has relations on them is a question about relations.
  const request = isListed(type)
    ? listObjectsExample(type, { search, limit: PAGE })
    : example('post', '/v1/relations/query', { body: { resourceType: type, optionalResourceId: only } })
  const isSearched = isListed(type) && kinds[type].isSearched
  const columns: Column<NamedObject>[] = [
    {
      id: 'name',
      title: words.name,
      width: 'minmax(140px, 3fr)',
      render: ({ name }) => (
        <span className={styles.object}>
          <Icon name={iconOf(type)} size={14} />
          <span className={styles.name} title={name}>
            <bdi>{name}</bdi>
          </span>
        </span>
      ),
    },
    {
      id: 'id',
      title: words.id,
      width: 'minmax(120px, 2fr)',
      render: ({ id }) => <Id value={id} name={words.id} />,
    },
  ]
  return (
    <ListPage title={words.title} text={words.what} actions={<CodeExamples requests={[request]} />}>
      <DataTable
        name="access"
        label={words.choose}
        source={source}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        rowLink={({ id }) => links.access(type, id)}
        search={
          isSearched
            ? { value: search, onChange: (next) => void change({ search: next }), label: words.search }
            : undefined
        }
        filters={[
          {
            id: 'type',
            label: words.type,
            options: types.map((value) => ({ value, label: words.types[value]! })),
            value: type,
            isRequired: true,
            onChange: (next) => void change({ type: next as typeof type, search: '' }),
          },
        ]}
        empty={<Empty icon="key" title={words.noneTitle} text={words.noneText} />}
      />
    </ListPage>
  )
}
