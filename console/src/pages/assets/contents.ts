import type { Answer, Schemas } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import type { LocalText } from '../../parts/schema/schema.ts'
import { withTimeout } from '../devices/timeout.ts'

export type Asset = Schemas['Asset']

type Contents = Answer<'get', '/v1/models/{modelId}/asset'>['contents'][number]

/** A signal, property or command of the model. */
export type Content = Contents & { displayName: LocalText; description: LocalText }

/** Key of a content of the model; `-` stands for the asset itself. */
export const contentKey = ({ componentId, name }: { componentId: string | null; name: string }) =>
  `${componentId ?? '-'}/${name}`

export const endpointId = (
  assetId: string,
  { componentId, kind, name }: { componentId: string | null; kind: string; name: string },
) => `${assetId}/${componentId ?? '-'}/${kind}/${name}`

/** Signals, properties and commands of a model. They are cached, since a model hardly ever changes. */
export function useContents(modelId: string, { isEnabled = true } = {}) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['contents', modelId],
    queryFn: ({ signal }) =>
      api.get('/v1/models/{modelId}/asset', { path: { modelId }, signal: withTimeout(signal) }),
    staleTime: 300_000,
    enabled: isEnabled,
  })
  return { ...query, contents: (query.data?.contents ?? []) as Content[] }
}

export function useBindings(assetId: string) {
  const api = useApi()
  return useQuery({
    queryKey: ['asset-bindings', assetId],
    queryFn: ({ signal }) =>
      api.get('/v1/assets/{assetId}/bindings', { path: { assetId }, signal: withTimeout(signal) }),
  })
}
