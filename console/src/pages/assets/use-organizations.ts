import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'

const OFFERED = 200

/** @param chosen empty for the default, the first organization */
export function useOrganizationId(chosen: string): string {
  const { data } = useOrganizations()
  return chosen || (data?.[0]?.id ?? '')
}

/** The organizations that the user may view. */
export function useOrganizations() {
  const api = useApi()
  return useQuery({
    queryKey: ['organizations', 'offered'],
    queryFn: ({ signal }) =>
      api.get('/v1/organizations', { query: { limit: OFFERED }, signal: withTimeout(signal) }),
    staleTime: 300_000,
  })
}
