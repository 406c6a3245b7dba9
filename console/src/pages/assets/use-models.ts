import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'

/** Greatest number of models whose names are loaded; lists show other models by their ids. */
const OFFERED = 100

/** Models with their names; empty if the user may not see models. */
export function useModels() {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['models', 'offered'],
    queryFn: ({ signal }) =>
      api.get('/v1/models', { query: { limit: OFFERED }, signal: withTimeout(signal) }),
    staleTime: 300_000,
    retry: false,
  })
  return data ?? []
}
