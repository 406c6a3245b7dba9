import type { Schemas } from '@gangway/client'
import { useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { withTimeout } from '../devices/timeout.ts'

export type Dashboard = Schemas['Dashboard']

type Repetition = Pick<UseQueryOptions<Dashboard>, 'refetchInterval' | 'refetchIntervalInBackground'>

/** @param dashboardId undefined reads none */
export function useDashboard(dashboardId: string | undefined, repetition: Repetition = {}) {
  const api = useApi()
  return useQuery({
    queryKey: ['dashboard', dashboardId],
    queryFn: ({ signal }) =>
      api.get('/v1/dashboards/{dashboardId}', {
        path: { dashboardId: dashboardId! },
        signal: withTimeout(signal),
      }),
    enabled: dashboardId !== undefined,
    staleTime: 10_000,
    ...repetition,
  })
}

/** Whether the user may change a dashboard; undefined while this is not known. */
export const useMayManage = (dashboardId: string) =>
  useExplainedPermission(manageDashboard(dashboardId)).data?.result

export const manageDashboard = (resourceId: string) =>
  ({ resourceType: 'dashboard', resourceId, permission: 'manage' }) as const

export const deleteDashboard = (resourceId: string) =>
  ({ resourceType: 'dashboard', resourceId, permission: 'delete' }) as const
