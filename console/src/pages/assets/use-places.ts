import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { type Place, placeKey } from './place.ts'

/** Places of a thing in the tree, each with the path from the top. */
export function usePlaces(thing: Place | null) {
  const api = useApi()
  return useQuery({
    queryKey: ['places', placeKey(thing)],
    queryFn: ({ signal }) =>
      api.get('/v1/tree/places', { query: { ...thing! }, signal: withTimeout(signal) }),
    enabled: thing !== null,
    staleTime: 60_000,
  })
}
