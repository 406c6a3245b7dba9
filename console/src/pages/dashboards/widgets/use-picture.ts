import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useObjectUrl } from '../../../parts/use-object-url.ts'
import { withTimeout } from '../../devices/timeout.ts'

const TIMEOUT_MS = 30_000

/**
 * The address of a picture of the shared resources. It is read with the token of the user, which an address cannot carry.
 * @param resourceId undefined reads none
 */
export function usePicture(resourceId: string | undefined) {
  const api = useApi()
  const file = useQuery({
    queryKey: ['resource-file', resourceId],
    queryFn: async ({ signal }) => {
      const response = await api.request('get', '/v1/resources/download/{resourceId}', {
        path: { resourceId: resourceId! },
        signal: withTimeout(signal, TIMEOUT_MS),
      })
      return response.blob()
    },
    enabled: resourceId !== undefined,
    staleTime: Infinity,
    structuralSharing: false,
  })
  return { address: useObjectUrl(file.data), error: file.error }
}
