import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useContents } from '../../assets/contents.ts'
import { withTimeout } from '../../devices/timeout.ts'

/** An asset with the contents of its model. */
export function useAssetModel(assetId: string | undefined) {
  const api = useApi()
  const asset = useQuery({
    queryKey: ['asset', assetId],
    queryFn: ({ signal }) =>
      api.get('/v1/assets/{assetId}', { path: { assetId: assetId! }, signal: withTimeout(signal) }),
    enabled: assetId !== undefined,
    staleTime: 300_000,
  })
  const model = useContents(asset.data?.modelId ?? '', { isEnabled: asset.data !== undefined })
  return {
    asset: asset.data,
    contents: model.contents,
    isLoading: asset.isPending || model.isPending,
    error: asset.error ?? model.error,
  }
}
