import type { Answer } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'

export type Use = Answer<'get', '/v1/resources/{resourceId}/references'>[number]

/** What refers to a resource, by type and id; without the ids of what the user may not view. */
export function useUses(resourceId: string) {
  const api = useApi()
  return useQuery({
    queryKey: ['resource-uses', resourceId],
    queryFn: ({ signal }) =>
      api.get('/v1/resources/{resourceId}/references', {
        path: { resourceId },
        signal: withTimeout(signal),
      }),
  })
}
