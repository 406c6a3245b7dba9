import { useRouter } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { listExample } from '../../../parts/code/example.ts'
import { Name } from '../../../parts/Id.tsx'
import { ListPage } from '../../../parts/layout/ListPage.tsx'
import { Empty } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import type { Column } from '../../../parts/table/types.ts'
import { usePagedList } from '../../../parts/table/use-paged-list.ts'
import { text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { CreateButton } from '../../access/CreateButton.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import type { Release } from './release.ts'

const route = '/v1/firmware/releases'
const fields = { search: text() }
const PAGE = 100

/** Firmware releases: what can be deployed. */
export default function ReleaseList() {
  const { title, release: words, releases, search: searchLabel } = useWords('firmware')
  const api = useApi()
  const router = useRouter()
  const [{ search }, change] = useUrlState(fields)
  const query = useMemo(() => ({ limit: PAGE, search: search || undefined }), [search])
  const source = usePagedList<Release>(['releases', query], (cursor, signal) =>
    api.page(route, { query: { ...query, cursor }, signal: withTimeout(signal) }),
  )
  const create = (
    <CreateButton
      privilege="firmware_management"
      onClick={() => void router.navigate(links.newRelease() as never)}
    >
      {words.create}
    </CreateButton>
  )
  return (
    <ListPage
      parent={{ title, link: links.firmware() }}
      title={releases}
      text={source.rows.length === 0 ? words.what : undefined}
      actions={
        <>
          <CodeExamples requests={[listExample(route, { query })]} />
          {create}
        </>
      }
    >
      <DataTable
        name="releases"
        label={releases}
        source={source}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={({ displayName }) => displayName}
        rowLink={({ id }) => links.release(id)}
        search={{ value: search, onChange: (next) => void change({ search: next }), label: searchLabel }}
        empty={<Empty icon="firmware" title={words.emptyTitle} text={words.emptyText} action={create} />}
      />
    </ListPage>
  )
}

function useColumns(): Column<Release>[] {
  const { release: words, name, description: descriptionTitle } = useWords('firmware')
  const format = useFormat()
  return [
    {
      id: 'name',
      title: name,
      width: 'minmax(120px, 1.5fr)',
      render: ({ displayName }) => <Name>{displayName}</Name>,
    },
    {
      id: 'file',
      title: words.file,
      width: 'minmax(120px, 2fr)',
      isOnPhone: true,
      render: ({ fileMissing, fileName, fileResourceId }) =>
        fileMissing ? (
          <StateMark state="bad">{words.missing}</StateMark>
        ) : fileResourceId === null ? (
          words.noFile
        ) : (
          <Name>{fileName ?? fileResourceId}</Name>
        ),
    },
    {
      id: 'models',
      title: words.models,
      width: 'minmax(120px, 2fr)',
      render: ({ startingModels }) =>
        startingModels.length === 0 ? (
          words.anyModel
        ) : (
          <Name>{startingModels.map(({ id, displayName }) => displayName ?? id).join(', ')}</Name>
        ),
    },
    {
      id: 'values',
      title: words.values,
      width: '88px',
      align: 'end',
      render: ({ propertyValues }) => format.number(propertyValues.length),
    },
    {
      id: 'description',
      title: descriptionTitle,
      width: 'minmax(120px, 2fr)',
      render: ({ description }) => description !== null && <Name>{description}</Name>,
    },
  ]
}
