import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { Name } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Empty, Failed, Loading } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column, Filter } from '../../parts/table/types.ts'
import { shownRows } from '../../parts/table/use-paged-list.ts'
import { useFormat } from '../../format.ts'
import { choice, text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { writeUnit } from '../explore/use-units.ts'
import { withTimeout } from '../devices/timeout.ts'
import { type Content, contentKinds, type Model, writeSchema } from './model.ts'

const fields = { search: text(), kind: choice(['', ...contentKinds]) }

/** All contents of an asset of the model, including inherited ones and those of components. */
export function ContentsTab({ model }: { model: Model }) {
  const words = useWords('models')
  const api = useApi()
  const format = useFormat()
  const [state, change] = useUrlState(fields)
  const columns = useColumns()
  const query = useQuery({
    queryKey: ['contents', model.id],
    queryFn: ({ signal }) =>
      api.get('/v1/models/{modelId}/asset', { path: { modelId: model.id }, signal: withTimeout(signal) }),
  })
  if (query.isPending) return <Loading />
  if (query.data === undefined) return <Failed error={query.error} onRetry={() => void query.refetch()} />
  const all = query.data.contents
  const wanted = state.search.toLocaleLowerCase()
  const rows = all.filter(
    (content) =>
      (state.kind === '' || content.kind === state.kind) &&
      label(content).toLocaleLowerCase().includes(wanted),
  )
  const kindFilter: Filter = {
    id: 'kind',
    label: words.kind,
    options: contentKinds.map((kind) => ({
      value: kind,
      label: `${words.kinds[kind]} (${format.number(all.filter((content) => content.kind === kind).length)})`,
    })),
    value: state.kind,
    onChange: (kind) => void change({ kind: kind as (typeof state)['kind'] }),
  }
  return (
    <DataTable
      name="model-contents"
      label={words.tabs.contents}
      source={shownRows(rows)}
      columns={columns}
      rowKey={(content) => `${label(content)} ${content.kind}`}
      rowName={label}
      search={{
        value: state.search,
        onChange: (search) => void change({ search }),
        label: words.searchContents,
      }}
      filters={[kindFilter]}
      empty={<Empty icon="models" title={words.noContentsTitle} text={words.noContentsText} />}
    />
  )
}

const label = ({ componentId, name }: Content) => (componentId === null ? name : `${componentId} · ${name}`)

function useColumns(): Column<Content>[] {
  const words = useWords('models')
  return [
    {
      id: 'name',
      title: words.name,
      width: 'minmax(140px, 1.4fr)',
      render: (content) => <Name>{label(content)}</Name>,
    },
    {
      id: 'kind',
      title: words.kind,
      width: '120px',
      isOnPhone: true,
      render: ({ kind }) => words.kinds[kind],
    },
    {
      id: 'schema',
      title: words.schema,
      width: 'minmax(120px, 1.4fr)',
      render: (content) => <Schema content={content} />,
    },
    {
      id: 'unit',
      title: words.unit,
      width: 'minmax(80px, 0.8fr)',
      render: ({ unit }) => unit && <Name>{writeUnit(unit)}</Name>,
    },
    {
      id: 'writable',
      title: words.writable,
      width: '96px',
      render: ({ writable }) => writable === true && words.yes,
    },
    {
      id: 'displayName',
      title: words.shownAs,
      width: 'minmax(120px, 1.2fr)',
      render: ({ displayName }) => firstText(displayName) && <Name>{firstText(displayName)}</Name>,
    },
    {
      id: 'description',
      title: words.description,
      width: 'minmax(140px, 2fr)',
      isOptional: true,
      render: ({ description }) => firstText(description) && <Name>{firstText(description)}</Name>,
    },
  ]
}

const firstText = (texts: Record<string, string>) => texts.en ?? Object.values(texts)[0] ?? ''

function Schema({ content }: { content: Content }) {
  const words = useWords('models')
  const { kind, modelId, target } = content
  if (kind === 'component' && modelId)
    return (
      <PageAnchor link={links.model(modelId)} tabIndex={-1}>
        <Name>{modelId}</Name>
      </PageAnchor>
    )
  if (kind === 'relationship') return target ? <Name>{target}</Name> : null
  if (kind === 'command') {
    const [request, response] = [content.request, content.response].map((payload) =>
      payload ? writeSchema(payload.schema) : words.nothing,
    )
    return <code>{`${request} → ${response}`}</code>
  }
  return <code>{writeSchema(content.schema)}</code>
}
