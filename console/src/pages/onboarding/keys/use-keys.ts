import type { Schemas } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { withTimeout } from '../../devices/timeout.ts'

export type Keys = Schemas['BootstrapKeysInUse']

/** Loads the keys of a group, with the times of their creation and last use. They are not cached after they are hidden. */
export function useKeys(groupId: string) {
  const api = useApi()
  return useQuery({
    queryKey: ['keys', groupId],
    queryFn: ({ signal }) =>
      api.get('/api/enrollment-groups/{id}/keys', { path: { id: groupId }, signal: withTimeout(signal) }),
    gcTime: 0,
  })
}
