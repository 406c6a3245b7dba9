import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { ConfirmByName } from '../../parts/ConfirmByName.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Assets.module.css'
import { type Asset, useBindings } from './contents.ts'
import MoveDialog from './MoveDialog.tsx'
import type { TreeChild } from './place.ts'
import Rename from './Rename.tsx'
import { ReplaceDevice } from './ReplaceDevice.tsx'
import { usePlaces } from './use-places.ts'

export type Dialog = 'rename' | 'move' | 'delete' | 'replace'

interface Props {
  asset: Asset
  dialog: Dialog
  openAlarms: number
  onClose: () => void
  onDeleted: () => void
}

/** The open dialog of an asset: rename, move, delete, or replace a device. */
export default function AssetDialogs(props: Props) {
  const { asset, dialog, onClose } = props
  const cache = useQueryClient()
  const place = { type: 'asset' as const, id: asset.id }
  const onMoved = () => void cache.invalidateQueries({ queryKey: ['places'] })
  if (dialog === 'rename')
    return <Rename place={place} thing={asset} onClose={onClose} onRenamed={() => {}} />
  if (dialog === 'replace') return <ReplaceDevice asset={asset} onClose={onClose} />
  if (dialog === 'move') return <MoveDialog things={[childOf(asset)]} onClose={onClose} onMoved={onMoved} />
  return <DeleteDialog {...props} />
}

/** Makes a tree entry of an asset. The dialog loads the places of the asset; contents are assumed. */
const childOf = ({ id, displayName, description, modelId }: Asset): TreeChild => ({
  id,
  type: 'ASSET',
  displayName,
  description,
  modelId,
  edgeId: null,
  hasChildren: true,
})

/** Dialog that lists what is deleted with the asset, and asks for its id to confirm. */
function DeleteDialog({ asset, openAlarms, onClose, onDeleted }: Props) {
  const { remove: words } = useWords('assets')
  const format = useFormat()
  const api = useApi()
  const cache = useQueryClient()
  const bindings = useBindings(asset.id)
  const places = usePlaces({ type: 'asset', id: asset.id })
  const inside = useInside(asset.id)
  const remove = async () => {
    await api.delete('/v1/assets/{assetId}', { path: { assetId: asset.id }, signal: withTimeout() })
    onDeleted()
    cache.removeQueries({ queryKey: ['asset', asset.id] })
    await cache.invalidateQueries({ queryKey: ['assets'] })
  }
  return (
    <ConfirmByName
      isOpen
      onClose={onClose}
      title={words.title}
      name={asset.id}
      action={words.action}
      onConfirm={remove}
    >
      <p>{words.text}</p>
      <ul className={styles.takes}>
        <li>{words.history}</li>
        <li>{words.bindings(bindings.data?.bindings.length, format.number)}</li>
        {openAlarms > 0 && <li>{words.alarms(openAlarms)}</li>}
        {(places.data?.length ?? 0) > 0 && <li>{words.places(places.data!.length)}</li>}
        {inside.data?.length === 1 && <li>{words.inside}</li>}
      </ul>
      <p>{words.others}</p>
    </ConfirmByName>
  )
}

/** Whether the asset contains anything; one entry is enough to know. */
function useInside(assetId: string) {
  const api = useApi()
  return useQuery({
    queryKey: ['inside', assetId],
    queryFn: ({ signal }) =>
      api.get('/v1/tree/children', {
        query: { parentType: 'asset', parentId: assetId, limit: 1 },
        signal: withTimeout(signal),
      }),
    retry: false,
  })
}
