import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
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

interface OrganizationId {
  /** '' while it is not known. */
  organizationId: string
  /** Waits until it is known, for a form that is sent before. '' if there is none, or if it cannot be read. */
  findOrganizationId: () => Promise<string>
}

/** The organization of a new object: the chosen one, or one in which the user has the privilege to create it. */
export function useOrganizationId({ privilege, chosen, preferred = '' }: Choice): OrganizationId {
  const { first, findFirst } = useFirstHeld(privilege)
  const isPreferredHeld = usePrivilege(privilege, preferred || undefined)
  const given = chosen === '' && preferred !== '' && isPreferredHeld === true ? preferred : chosen
  return {
    organizationId: given || (first ?? ''),
    findOrganizationId: async () => given || ((await findFirst()) ?? ''),
  }
}

/** The first organization in which the user has the privilege. Organizations above come before those below. */
function useFirstHeld(privilege: Privilege) {
  const api = useApi()
  const cache = useQueryClient()
  const { id: subjectId } = useUser()
  const held = queryOptions({
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
  const { data } = useQuery(held)
  const findFirst = async () => (await cache.ensureQueryData(held).catch(() => []))[0]?.organizationId
  return { first: data?.[0]?.organizationId, findFirst }
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
