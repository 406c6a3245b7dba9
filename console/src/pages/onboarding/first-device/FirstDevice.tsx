import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { Failed, Loading } from '../../../parts/State.tsx'
import { SectionNav } from '../Section.tsx'
import { Flow } from './Flow.tsx'

/** Guides the user from an empty installation to the first value of a device. */
export default function FirstDevice() {
  const api = useApi()
  const known = useQuery({
    queryKey: ['first-device'],
    queryFn: async ({ signal }) => {
      const query = { limit: 100 }
      const [targets, groups, endpoints] = await Promise.all([
        api.get('/api/routing-targets', { query, signal }),
        api.get('/api/enrollment-groups', { query, signal }),
        api.get('/v1/endpoints', { signal }),
      ])
      return { targets: targets.items, groups: groups.items, endpoints }
    },
  })
  if (known.isPending) return <Loading />
  if (known.data === undefined)
    return <Failed isPage error={known.error} onRetry={() => void known.refetch()} />
  return (
    <>
      <SectionNav />
      <Flow known={known.data} onChanged={() => void known.refetch()} />
    </>
  )
}
