import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { withTimeout } from '../../devices/timeout.ts'

export function useGroup(groupId: string, { isEnabled = true } = {}) {
  const api = useApi()
  return useQuery({
    queryKey: ['group', groupId],
    queryFn: ({ signal }) =>
      api.get('/api/enrollment-groups/{id}', { path: { id: groupId }, signal: withTimeout(signal) }),
    enabled: isEnabled,
  })
}
