import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { type Model, splitId } from './model.ts'

const RARELY_CHANGED = 60_000

/** @param modelId '' for none */
export function useModel(modelId: string) {
  const api = useApi()
  return useQuery({
    queryKey: ['model', modelId],
    queryFn: ({ signal }) =>
      api.get('/v1/models/{modelId}', { path: { modelId }, signal: withTimeout(signal) }),
    enabled: modelId !== '',
    staleTime: RARELY_CHANGED,
  })
}

/** Loads the versions of a model that the user may view, newest first. */
export function useVersions(modelId: string) {
  const api = useApi()
  const { base } = splitId(modelId)
  return useQuery({
    queryKey: ['model-versions', base],
    queryFn: async ({ signal }): Promise<Model[]> => {
      const query = { search: `${base};`, limit: 100 }
      const found = await api.get('/v1/models', { query, signal: withTimeout(signal) })
      return found
        .filter(({ id }) => splitId(id).base === base)
        .toSorted((a, b) => compareVersions(splitId(b.id).version, splitId(a.id).version))
    },
    staleTime: RARELY_CHANGED,
  })
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number)) as [number[], number[]]
  return (left[0] ?? 0) - (right[0] ?? 0) || (left[1] ?? 0) - (right[1] ?? 0)
}

/** Whether any asset uses the model, which then cannot change. */
export function useIsUsed(modelId: string | undefined) {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['model-used', modelId],
    enabled: modelId !== undefined,
    queryFn: async ({ signal }) => {
      const query = { modelId: modelId!, limit: 1 }
      return (await api.get('/v1/assets', { query, signal: withTimeout(signal) })).length > 0
    },
  })
  return data ?? false
}
