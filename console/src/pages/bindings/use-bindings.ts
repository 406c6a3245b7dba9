import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { withTimeout } from '../devices/timeout.ts'

const REFRESH_MS = 30_000

/** Loads an asset and its bindings. */
export function useBindings(assetId: string) {
  const api = useApi()
  const path = { assetId }
  const bindings = useQuery({
    queryKey: ['asset-bindings', assetId],
    queryFn: ({ signal }) => api.get('/v1/assets/{assetId}/bindings', { path, signal: withTimeout(signal) }),
    refetchInterval: REFRESH_MS,
  })
  const asset = useQuery({
    queryKey: ['asset', assetId],
    queryFn: ({ signal }) => api.get('/v1/assets/{assetId}', { path, signal: withTimeout(signal) }),
    staleTime: REFRESH_MS,
  })
  return { bindings, asset }
}

/** Loads the endpoints of the model; undefined if the user may not view the model. */
export function useContents(modelId: string | undefined) {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['contents', modelId],
    enabled: modelId !== undefined,
    queryFn: ({ signal }) =>
      api.get('/v1/models/{modelId}/asset', { path: { modelId: modelId! }, signal: withTimeout(signal) }),
    staleTime: 300_000,
    retry: false,
  })
  return data?.contents ?? []
}

/** Whether the user may change bindings; undefined until it is loaded. */
export function useMayManage(assetId: string): boolean | undefined {
  const { data } = useExplainedPermission(managePermission(assetId))
  return data?.result
}

export const managePermission = (assetId: string) =>
  ({ resourceType: 'asset', resourceId: assetId, permission: 'manage' }) as const
