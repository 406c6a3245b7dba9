import type { Item } from '@gangway/client'
import { useMemo } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { Id, Name } from '../../parts/Id.tsx'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Models.module.css'

const fields = { search: text() }
const PAGE = 100

/** The assets of a model that the user may see. */
export function AssetsTab({ modelId }: { modelId: string }) {
  const words = useWords('models')
  const api = useApi()
  const [{ search }, change] = useUrlState(fields)
  const query = useMemo(() => ({ modelId, limit: PAGE, search: search || undefined }), [modelId, search])
  const source = usePagedList<Item<'/v1/assets'>>(['assets', 'of-model', query], (cursor, signal) =>
    api.page('/v1/assets', { query: { ...query, cursor }, signal: withTimeout(signal) }),
  )
  return (
    <>
      <div className={styles.bar}>
        <p>{words.assetsText}</p>
        <CodeExamples requests={[listExample('/v1/assets', { query })]} />
      </div>
      <DataTable
        name="model-assets"
        label={words.tabs.assets}
        source={source}
        columns={[
          {
            id: 'name',
            title: words.name,
            width: 'minmax(140px, 1.4fr)',
            render: ({ displayName }) => <Name>{displayName}</Name>,
          },
          {
            id: 'id',
            title: words.assetId,
            width: 'minmax(140px, 1.4fr)',
            render: ({ id }) => <Id value={id} name={words.assetId} isCopied={false} />,
          },
        ]}
        rowKey={({ id }) => id}
        rowName={({ displayName }) => displayName}
        rowLink={({ id }) => links.asset(id)}
        search={{
          value: search,
          onChange: (next) => void change({ search: next }),
          label: words.searchAssets,
        }}
        empty={<Empty icon="assets" title={words.noAssetsTitle} text={words.noAssetsText} />}
      />
    </>
  )
}
