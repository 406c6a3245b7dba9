import { ApiError } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { findOwnProvider } from '../first-device/setup.ts'
import { type Group, useEndpoints } from '../use-groups.ts'

export interface GroupProvider {
  /** The provider on this server that has the clients of the group; null if it is another service, or not known. */
  providerId: string | null
  /** Whether the provider is a service of its own. */
  isElsewhere: boolean
  /** Whether the user may not view the routing target, which names the provider. */
  isHidden: boolean
  /** Why the routing target could not be loaded. */
  error: unknown
  refetch: () => void
}

/** Finds the provider to which the routing target of a group leads. Targets need another privilege than groups. */
export function useProvider({ routing_target_id: id }: Group): GroupProvider {
  const api = useApi()
  const endpoints = useEndpoints()
  const target = useQuery({
    queryKey: ['target', id],
    queryFn: ({ signal }) =>
      api.get('/api/routing-targets/{id}', { path: { id }, signal: withTimeout(signal) }),
    retry: false,
  })
  const isHidden = target.error instanceof ApiError && target.error.status === 403
  const isKnown = target.data !== undefined && endpoints.data !== undefined
  const providerId = isKnown ? findOwnProvider(target.data, endpoints.data.http) : null
  return {
    providerId,
    isElsewhere: isKnown && providerId === null,
    isHidden,
    error: target.data === undefined && !isHidden ? target.error : null,
    refetch: () => void target.refetch(),
  }
}
