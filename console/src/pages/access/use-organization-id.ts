import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { useUser } from '../../session/SessionProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'
import type { Privilege } from './privileges.ts'
import { usePrivilege } from './use-privilege.ts'

const RARELY_CHANGED = 300_000

interface Choice {
  /** The privilege that the API asks for. */
  privilege: Privilege
  /** The organization that the user has chosen; '' before a choice. */
  chosen: string
  /** Comes before the first one if the user has the privilege there, such as the organization of the model of a rule. */
  preferred?: string | undefined
}

/**
 * The organization of a new object: the chosen one, or one in which the user has the privilege to create it.
 *
 * @returns '' while that is not known
 */
export function useOrganizationId({ privilege, chosen, preferred = '' }: Choice): string {
  const first = useFirstHeld(privilege)
  const isPreferredHeld = usePrivilege(privilege, preferred || undefined)
  if (chosen !== '') return chosen
  return preferred !== '' && isPreferredHeld === true ? preferred : (first ?? '')
}

/** The first organization in which the user has the privilege. Organizations above come before those below. */
function useFirstHeld(privilege: Privilege): string | undefined {
  const api = useApi()
  const { id: subjectId } = useUser()
  const { data } = useQuery({
    queryKey: ['privileges', 'first', subjectId, privilege],
    queryFn: ({ signal }) =>
      api.post('/v1/privileges/query', {
        query: { limit: 1 },
        body: { subjectType: 'user', subjectId, privilege },
        signal: withTimeout(signal),
      }),
    staleTime: 60_000,
    retry: false,
  })
  return data?.[0]?.organizationId
}

/** Whether the user may view more than one organization; false while that is not known. */
export function useSeveralOrganizations(): boolean {
  const api = useApi()
  const { data = [] } = useQuery({
    queryKey: ['organizations', 'first-two'],
    queryFn: ({ signal }) =>
      api.get('/v1/organizations', { query: { limit: 2 }, signal: withTimeout(signal) }),
    staleTime: RARELY_CHANGED,
  })
  return data.length > 1
}
