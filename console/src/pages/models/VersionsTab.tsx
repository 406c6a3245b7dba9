import { links } from '../../links.ts'
import { Id, Name } from '../../parts/Id.tsx'
import { Empty, Failed, Loading } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import { shownRows } from '../../parts/table/use-paged-list.ts'
import { useWords } from '../../words/words.tsx'
import { asList, type Model, splitId } from './model.ts'
import { useVersions } from './use-model.ts'

/** Lists the versions of a model. Assets move from one version to another by migration. */
export function VersionsTab({ model }: { model: Model }) {
  const words = useWords('models')
  const versions = useVersions(model.id)
  if (versions.isPending) return <Loading />
  if (versions.data === undefined)
    return <Failed error={versions.error} onRetry={() => void versions.refetch()} />
  return (
    <DataTable
      name="model-versions"
      label={words.tabs.versions}
      source={shownRows(versions.data)}
      columns={[
        {
          id: 'version',
          title: words.version,
          width: '140px',
          render: ({ id }) =>
            id === model.id ? words.thisVersion(splitId(id).version) : splitId(id).version,
        },
        {
          id: 'name',
          title: words.name,
          width: 'minmax(140px, 1.4fr)',
          isOnPhone: true,
          render: ({ displayName }) => <Name>{displayName}</Name>,
        },
        {
          id: 'id',
          title: words.id,
          width: 'minmax(200px, 2fr)',
          render: ({ id }) => <Id value={id} name={words.id} isCopied={false} />,
        },
        {
          id: 'contents',
          title: words.ownContents,
          width: '120px',
          align: 'end',
          render: ({ definition }) => asList(definition.contents).length,
        },
      ]}
      rowKey={({ id }) => id}
      rowName={({ id }) => id}
      rowLink={({ id }) => links.model(id, { tab: 'versions' })}
      empty={<Empty icon="models" title={words.emptyTitle} />}
    />
  )
}
