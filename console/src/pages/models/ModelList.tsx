import { useRouter } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { Id, Name } from '../../parts/Id.tsx'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { CreateButton } from '../access/CreateButton.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { asList, type Model, readDtdlVersion, splitId } from './model.ts'

const fields = { search: text() }
/** A small page, since each model includes its whole definition. */
const PAGE = 50

export default function ModelList() {
  const words = useWords('models')
  const api = useApi()
  const router = useRouter()
  const [{ search }, change] = useUrlState(fields)
  const query = useMemo(() => ({ limit: PAGE, search: search || undefined }), [search])
  const source = usePagedList<Model>(['models', query], (cursor, signal) =>
    api.page('/v1/models', { query: { ...query, cursor }, signal: withTimeout(signal) }),
  )
  const create = (
    <CreateButton
      privilege="model_management"
      onClick={() => void router.navigate(links.createModel() as never)}
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
          <CodeExamples requests={[listExample('/v1/models', { query })]} />
          {create}
        </>
      }
    >
      <DataTable
        name="models"
        label={words.title}
        source={source}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={({ displayName }) => displayName}
        rowLink={({ id }) => links.model(id)}
        search={{ value: search, onChange: (next) => void change({ search: next }), label: words.search }}
        empty={<Empty icon="models" title={words.emptyTitle} text={words.emptyText} action={create} />}
      />
    </ListPage>
  )
}

function useColumns(): Column<Model>[] {
  const words = useWords('models')
  const format = useFormat()
  return [
    {
      id: 'name',
      title: words.name,
      width: 'minmax(140px, 1.4fr)',
      render: ({ displayName }) => <Name>{displayName}</Name>,
    },
    {
      id: 'id',
      title: words.id,
      width: 'minmax(200px, 2fr)',
      render: ({ id }) => <Id value={id} name={words.id} isCopied={false} />,
    },
    {
      id: 'version',
      title: words.version,
      width: '88px',
      align: 'end',
      isOnPhone: true,
      render: ({ id }) => splitId(id).version,
    },
    {
      id: 'contents',
      title: words.ownContents,
      width: '120px',
      align: 'end',
      render: ({ definition }) => format.number(asList(definition.contents).length),
    },
    {
      id: 'dtdl',
      title: words.dtdl,
      width: '80px',
      align: 'end',
      isOptional: true,
      render: ({ definition }) => readDtdlVersion(definition),
    },
    {
      id: 'description',
      title: words.description,
      width: 'minmax(160px, 2fr)',
      render: ({ description }) => description !== null && <Name>{description}</Name>,
    },
  ]
}
