import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { whileShown } from '../../api/refetch.ts'
import { useFormat } from '../../format.ts'
import type { Device } from './connection.ts'

const MOST = 100
const REFRESH_MS = 60_000

/** The number of dead letters, for the head of their tab; absent if there are none, or if the user may not see them. */
export function useDeadLetterCount({ providerId, id: clientId }: Device): string | undefined {
  const api = useApi()
  const format = useFormat()
  const { data } = useQuery({
    queryKey: ['dead-letters', providerId, clientId, 'count'],
    queryFn: async ({ signal }) => {
      const { items, cursor } = await api.page('/v1/providers/{providerId}/clients/{clientId}/dead-letters', {
        path: { providerId, clientId },
        query: { limit: MOST },
        signal,
      })
      return { count: items.length, hasMore: cursor !== null }
    },
    refetchInterval: whileShown(REFRESH_MS),
    retry: false,
  })
  if (data === undefined || data.count === 0) return undefined
  return `${format.number(data.count)}${data.hasMore ? '+' : ''}`
}
