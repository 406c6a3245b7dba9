import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useContents } from '../../assets/contents.ts'
import { withTimeout } from '../../devices/timeout.ts'

export function useAsset(assetId: string | undefined) {
  const api = useApi()
  const asset = useQuery({
    queryKey: ['asset', assetId],
    queryFn: ({ signal }) =>
      api.get('/v1/assets/{assetId}', { path: { assetId: assetId! }, signal: withTimeout(signal) }),
    enabled: assetId !== undefined,
    staleTime: 300_000,
  })
  return { asset: asset.data, isPending: asset.isPending, error: asset.error }
}

/** An asset with the contents of its model. */
export function useAssetModel(assetId: string | undefined) {
  const { asset, isPending, error } = useAsset(assetId)
  const model = useContents(asset?.modelId ?? '', { isEnabled: asset !== undefined })
  return {
    asset,
    contents: model.contents,
    isLoading: isPending || model.isPending,
    error: error ?? model.error,
  }
}
