import type { Body } from '@gangway/client'
import { useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import type { Group } from '../use-groups.ts'

type Changes = Body<'put', '/api/enrollment-groups/{id}'>

/** @returns a function that updates fields of a group on the server and in the cache */
export function useUpdateGroup({ id }: Group) {
  const api = useApi()
  const cache = useQueryClient()
  return async (changes: Changes, { ifReady = false } = {}) => {
    const changed = await api.put('/api/enrollment-groups/{id}', {
      path: { id },
      query: ifReady ? { if_ready: true } : {},
      body: changes,
      signal: withTimeout(),
    })
    cache.setQueryData(['group', id], changed)
    void cache.invalidateQueries({ queryKey: ['groups'] })
    return changed
  }
}
