import { useMemo } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { usePagedList } from '../../../parts/table/use-paged-list.ts'
import { withTimeout } from '../../devices/timeout.ts'
import type { Deployment } from './deployment.ts'

const PAGE = 100
const REFRESH_MS = 15_000

interface Filter {
  search?: string
  status?: Deployment['status']
  ended?: boolean
  failing?: boolean
  releaseId?: string
}

export const deploymentsRoute = '/v1/firmware/deployments'

/** Deployments, the newest first. */
export function useDeployments({ search, status, ended, failing, releaseId }: Filter) {
  const api = useApi()
  const query = useMemo(
    () => ({ limit: PAGE, search, status, ended, failing, releaseId }),
    [search, status, ended, failing, releaseId],
  )
  const source = usePagedList<Deployment>(
    ['deployments', query],
    (cursor, signal) =>
      api.page(deploymentsRoute, { query: { ...query, cursor }, signal: withTimeout(signal) }),
    { refreshMs: REFRESH_MS },
  )
  return { source, query }
}
