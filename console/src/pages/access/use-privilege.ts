import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { useUser } from '../../session/SessionProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'
import type { Privilege } from './privileges.ts'

/**
 * Whether the user has a privilege in an organization, or in any if none is given.
 *
 * @returns undefined while that is not known; then the server decides
 */
export function usePrivilege(privilege: Privilege, organizationId?: string): boolean | undefined {
  const api = useApi()
  const { id: subjectId } = useUser()
  const { data } = useQuery({
    queryKey: ['privileges', 'check', subjectId, privilege, organizationId],
    queryFn: ({ signal }) =>
      api.post('/v1/privileges/check', {
        body: { subjectType: 'user', subjectId, privilege, organizationId },
        signal: withTimeout(signal),
      }),
    staleTime: 60_000,
    retry: false,
  })
  return data?.result
}
