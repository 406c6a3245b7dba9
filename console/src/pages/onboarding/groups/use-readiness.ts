import type { Schemas } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { withTimeout } from '../../devices/timeout.ts'

export type Readiness = Schemas['KeyReadiness']

/** Devices may change to another key while the page is open. */
const REFRESH_MS = 15_000

/** Loads the numbers of devices by the key that they used last. */
export function useReadiness(groupId: string) {
  const api = useApi()
  return useQuery({
    queryKey: ['readiness', groupId],
    queryFn: ({ signal }) =>
      api.get('/api/enrollment-groups/{id}/keys/readiness', {
        path: { id: groupId },
        query: { limit: 1, list: 'not_ready' },
        signal: withTimeout(signal),
      }),
    enabled: groupId !== '',
    refetchInterval: REFRESH_MS,
  })
}
