import type { Schemas } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'

export type Group = Schemas['EnrollmentGroup']
export type Target = Schemas['RoutingTarget']

const MOST = 1000
const RARELY_CHANGED = 60_000

/** Loads the groups of the tenant for choices and counts; `isCut` if there are more. */
export function useGroups() {
  const api = useApi()
  const query = useQuery({
    queryKey: ['groups', 'all'],
    queryFn: ({ signal }) =>
      api.page('/api/enrollment-groups', { query: { limit: MOST }, signal: withTimeout(signal) }),
    staleTime: RARELY_CHANGED,
  })
  return { query, groups: query.data?.items, isCut: query.data !== undefined && query.data.cursor !== null }
}

/** Loads the routing targets, which need another privilege. */
export function useTargets() {
  const api = useApi()
  const query = useQuery({
    queryKey: ['targets', 'all'],
    queryFn: ({ signal }) =>
      api.page('/api/routing-targets', { query: { limit: MOST }, signal: withTimeout(signal) }),
    staleTime: RARELY_CHANGED,
    retry: false,
  })
  return { query, targets: query.data?.items, isCut: query.data !== undefined && query.data.cursor !== null }
}

export function useEndpoints() {
  const api = useApi()
  return useQuery({
    queryKey: ['endpoints'],
    queryFn: ({ signal }) => api.get('/v1/endpoints', { signal: withTimeout(signal) }),
    staleTime: Infinity,
  })
}
