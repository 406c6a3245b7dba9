import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { useEndpoints } from '../use-groups.ts'
import type { OwnPlatform } from './target-values.ts'

const RARELY_CHANGED = 300_000

/** Loads the origin and the providers of this server; undefined until they are loaded. */
export function useOwnPlatform() {
  const api = useApi()
  const endpoints = useEndpoints()
  const providers = useQuery({
    queryKey: ['providers'],
    queryFn: ({ signal }) => api.get('/v1/providers', { query: { limit: 100 }, signal: withTimeout(signal) }),
    staleTime: RARELY_CHANGED,
  })
  const own: OwnPlatform | undefined = endpoints.data && {
    http: endpoints.data.http,
    providers: (providers.data ?? []).filter(({ type }) => type === 'mqtt').map(({ id }) => id),
  }
  const isPending = endpoints.isPending || providers.isPending
  return { own: isPending ? undefined : own, endpoints: endpoints.data, error: endpoints.error }
}
