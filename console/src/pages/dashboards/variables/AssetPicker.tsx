import { useApi } from '../../../api/ApiProvider.tsx'
import type { Finder } from '../../../parts/pick/finder.ts'
import { PickMany } from '../../../parts/pick/PickMany.tsx'
import { PickOne } from '../../../parts/pick/PickOne.tsx'
import { useWords } from '../../../words/words.tsx'
import { MOST_ASSETS } from './use-bindings.ts'

interface Props {
  label: string
  value: string[]
  onChange: (ids: string[]) => void
  isSeveral?: boolean
  /** Offers assets of this model alone. */
  modelId?: string | undefined
}

const OFFERED = 30

/** Select field of one asset or several. */
export function AssetPicker({ label, value, onChange, isSeveral = false, modelId }: Props) {
  const words = useWords('dashboards')
  const finder = useAssetFinder(modelId)
  const shared = { ...finder, label, placeholder: value.length === 0 ? words.chooseAsset : undefined }
  if (isSeveral) return <PickMany {...shared} value={value} maxValues={MOST_ASSETS} onChange={onChange} />
  return <PickOne {...shared} value={value[0] ?? ''} onChange={(id) => onChange([id])} />
}

/** Assets are named with their ids, which boards and devices have. */
function useAssetFinder(modelId: string | undefined): Finder {
  const api = useApi()
  return {
    kind: modelId === undefined ? 'assets' : `assets of ${modelId}`,
    find: async (search, signal) => {
      const query = { limit: OFFERED, search: search || undefined, modelId }
      return (await api.get('/v1/assets', { query, signal })).map(toNamed)
    },
    read: async (assetId, signal) =>
      toNamed(await api.get('/v1/assets/{assetId}', { path: { assetId }, signal })),
  }
}

const toNamed = ({ id, displayName }: { id: string; displayName: string }) => ({
  id,
  name: displayName === id ? id : `${displayName} (${id})`,
})
