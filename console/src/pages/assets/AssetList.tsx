import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { CreateButton } from '../access/CreateButton.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Assets.module.css'
import { PlaceBar } from './PlaceBar.tsx'
import { type Place, placeField, placeKey, placeOf, placeQuery, type TreeChild } from './place.ts'
import { TreePanel } from './TreePanel.tsx'
import { useAssetColumns } from './use-asset-columns.tsx'
import { useModels } from './use-models.ts'
import { useOpenAlarms } from './use-open-alarms.ts'
import { usePlaces } from './use-places.ts'
import { useTree } from './use-tree.ts'

const CreateAsset = lazyPart(() => import('./CreateAsset.tsx'))
const CreateNode = lazyPart(() => import('./CreateNode.tsx'))
const MoveDialog = lazyPart(() => import('./MoveDialog.tsx'))

const fields = { at: placeField(), search: text(), model: text() }
const PAGE = 100

interface Moving {
  things: TreeChild[]
  /** Undefined until the user has chosen the target. */
  target?: { place: Place | null; name: string }
}

/** Page with the tree, and beside it the contents of the selected place. */
export default function AssetList() {
  const words = useWords('assets')
  const cache = useQueryClient()
  const [state, change] = useUrlState(fields)
  const [isCreating, creation] = useDisclosure()
  const [isAddingNode, adding] = useDisclosure()
  const [moving, setMoving] = useState<Moving | null>(null)
  const tree = useTree()
  const places = usePlaces(state.at)
  const path = places.data?.[0]?.path.map(placeOf) ?? []
  useRevealed(tree, state.at, places.isSuccess || state.at === null ? path : undefined)
  const { source, request } = useContents(state)
  const columns = useAssetColumns()
  const models = useModels()
  const alarms = useOpenAlarms()
  const reload = () => {
    tree.reload()
    void cache.invalidateQueries({ queryKey: ['assets'] })
    void cache.invalidateQueries({ queryKey: ['places'] })
  }
  const goTo = (at: Place | null) => void change({ at, search: '', model: '' }, { push: true })
  const create = (
    <CreateButton privilege="asset_management" onClick={creation.open}>
      {words.create.action}
    </CreateButton>
  )
  return (
    <ListPage
      title={words.title}
      text={source.rows.length === 0 && state.at === null ? words.what : undefined}
      actions={
        <>
          <CodeExamples requests={[request]} />
          <CreateButton isPlain privilege="tree_management" onClick={adding.open}>
            {words.node.action}
          </CreateButton>
          {create}
        </>
      }
    >
      <div className={styles.columns}>
        <TreePanel
          tree={tree}
          selected={state.at}
          onSelect={goTo}
          onDrop={(things, place, name) => setMoving({ things, target: { place, name } })}
        />
        <div className={styles.contents}>
          {state.at !== null && (
            <PlaceBar
              key={placeKey(state.at)}
              place={state.at}
              places={places}
              onGo={goTo}
              onMove={(thing) => setMoving({ things: [thing] })}
              onChanged={reload}
            />
          )}
          <DataTable
            name="assets"
            label={words.title}
            source={source}
            columns={columns}
            rowKey={({ type, id }) => `${type} ${id}`}
            rowName={({ displayName }) => displayName}
            rowLink={(row) =>
              row.type === 'ASSET' ? links.asset(row.id) : links.assets({ at: placeKey(placeOf(row)) })
            }
            search={{
              value: state.search,
              onChange: (search) => void change({ search }),
              label: state.at === null ? words.search : words.searchHere,
            }}
            filters={
              state.at === null && models.length > 0
                ? [
                    {
                      id: 'model',
                      label: words.model,
                      options: models.map(({ id, displayName }) => ({ value: id, label: displayName })),
                      value: state.model,
                      onChange: (model) => void change({ model }),
                    },
                  ]
                : []
            }
            partial={alarms.isCut ? words.alarms.cut : undefined}
            bulk={[{ label: words.move.bulk, onRun: (things) => setMoving({ things }) }]}
            empty={
              state.at === null ? (
                <Empty icon="assets" title={words.emptyTitle} text={words.emptyText} action={create} />
              ) : (
                <Empty icon="node" title={words.emptyHereTitle} text={words.emptyHereText} action={create} />
              )
            }
          />
        </div>
      </div>
      <PartBoundary>
        {isCreating && <CreateAsset place={state.at} onClose={creation.close} onCreated={reload} />}
        {isAddingNode && <CreateNode place={state.at} onClose={adding.close} onCreated={reload} />}
        {moving !== null && <MoveDialog {...moving} onClose={() => setMoving(null)} onMoved={reload} />}
      </PartBoundary>
    </ListPage>
  )
}

/** Contents of the selected place, or all assets if none is selected. */
function useContents({ at, search, model }: { at: Place | null; search: string; model: string }) {
  const api = useApi()
  const query = { limit: PAGE, search: search || undefined }
  const inPlace = { query: { ...query, ...placeQuery(at) } }
  const all = { query: { ...query, modelId: model || undefined } }
  const source = usePagedList<TreeChild>(['assets', placeKey(at), search, model], async (cursor, signal) => {
    if (at !== null)
      return api.page('/v1/tree/children', {
        query: { ...inPlace.query, cursor },
        signal: withTimeout(signal),
      })
    const page = await api.page('/v1/assets', {
      query: { ...all.query, cursor },
      signal: withTimeout(signal),
    })
    return {
      ...page,
      items: page.items.map((asset) => ({
        ...asset,
        type: 'ASSET' as const,
        edgeId: null,
        hasChildren: false,
      })),
    }
  })
  const request = at === null ? listExample('/v1/assets', all) : listExample('/v1/tree/children', inPlace)
  return { source, request }
}

/** Expands the tree down to the place in the address, once per place; the user may then open and close levels. */
function useRevealed(tree: ReturnType<typeof useTree>, at: Place | null, path: Place[] | undefined) {
  const revealed = useRef('')
  const key = placeKey(at)
  const { reveal } = tree
  useEffect(() => {
    if (path === undefined || revealed.current === key) return
    revealed.current = key
    const isShown = tree.rows.some((row) => row.kind === 'entry' && row.key === key)
    if (at !== null && !isShown) reveal(path)
  }, [at, key, path, reveal, tree.rows])
}
