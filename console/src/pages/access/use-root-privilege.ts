import { ApiError } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { useUser } from '../../session/SessionProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'
import type { Privilege } from './privileges.ts'

/** Lists that the API shows to those alone who have a privilege in the root organization, whose id users need not see. */
const guarded = {
  provider_management: '/api/routing-targets',
  provider_client_management: '/api/enrollment-groups',
} as const satisfies Partial<Record<Privilege, string>>

export type RootPrivilege = keyof typeof guarded

/**
 * Whether the user has a privilege in the root organization.
 *
 * @returns undefined while that is not known; then the server decides
 */
export function useRootPrivilege(privilege: RootPrivilege): boolean | undefined {
  const api = useApi()
  const { id } = useUser()
  const { data } = useQuery({
    queryKey: ['privileges', 'root', id, privilege],
    queryFn: async ({ signal }) => {
      try {
        await api.get(guarded[privilege], { query: { limit: 1 }, signal: withTimeout(signal) })
        return true
      } catch (error) {
        if (error instanceof ApiError && error.status === 403) return false
        throw error
      }
    },
    staleTime: 60_000,
    retry: false,
  })
  return data
}
