import type { Item } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import type { Device } from './connection.ts'

export type ConnectionEvent = Item<'/v1/providers/{providerId}/clients/{clientId}/connections'>

/** Last connection events of a device, the newest first; read again when its connection has changed. */
export function useConnections({ providerId, id, connection }: Device) {
  const api = useApi()
  const path = { providerId, clientId: id }
  return useQuery({
    queryKey: ['connections', providerId, id, connection.connectedAt, connection.disconnectedAt],
    queryFn: ({ signal }) =>
      api.get('/v1/providers/{providerId}/clients/{clientId}/connections', {
        path,
        query: { limit: 200 },
        signal,
      }),
    placeholderData: (previous) => previous,
  })
}
