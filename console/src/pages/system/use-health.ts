import type { Schemas } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'

export type Health = Schemas['Health']

/** An open page stays well within the requests of an account. */
const REFRESH_MS = 20_000

export function useHealth() {
  const api = useApi()
  return useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => api.get('/v1/system/health', { signal: withTimeout(signal) }),
    refetchInterval: REFRESH_MS,
  })
}
