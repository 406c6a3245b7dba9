import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { usePolling } from '../use-polling.ts'

export const deploymentRoute = '/v1/firmware/deployments/{deploymentId}'

/** A deployment with its counts, which is read again until its last update has ended. */
export function useDeployment(deploymentId: string) {
  const api = useApi()
  const { chooseIntervalMs, restart } = usePolling()
  const deployment = useQuery({
    queryKey: ['deployment', deploymentId],
    queryFn: ({ signal }) =>
      api.get(deploymentRoute, { path: { deploymentId }, signal: withTimeout(signal) }),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.endedAt !== null ? false : chooseIntervalMs(),
  })
  return { deployment, restart }
}
