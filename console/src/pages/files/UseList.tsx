import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../api/ApiProvider.tsx'
import { links, type PageLink } from '../../links.ts'
import { LongList } from '../../parts/LongList.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Files.module.css'
import { resourceRoute } from './resource.ts'
import type { Use } from './use-uses.ts'

const STEP = 20

/** What uses a resource, each with its kind and its page. */
export const UseList = ({ uses }: { uses: Use[] }) => (
  <LongList
    items={uses}
    step={STEP}
    className={styles.uses}
    itemKey={({ type, id }) => `${type} ${id}`}
    render={(use) => <UseEntry use={use} />}
  />
)

function UseEntry({ use }: { use: Use }) {
  const words = useWords('files')
  const router = useRouter()
  const name = useUseName(use)
  const link = findLink(use)
  const kind = words.useKinds[use.type] ?? use.type
  const isThere = link !== undefined && link.to in router.routesByPath
  return (
    <>
      {kind}{' '}
      {isThere ? (
        <PageAnchor link={link}>
          <bdi>{name}</bdi>
        </PageAnchor>
      ) : (
        <bdi>{name}</bdi>
      )}
    </>
  )
}

function findLink({ type, id }: Use): PageLink | undefined {
  if (type === 'theme') return links.file(id)
  return type === 'dashboard' ? links.dashboard(id) : undefined
}

/** The name of what uses the resource, as far as the user may view it; else its id. */
function useUseName({ type, id }: Use): string {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['use-name', type, id],
    queryFn: async ({ signal: asked }) => {
      const signal = withTimeout(asked)
      switch (type) {
        case 'theme':
          return (await api.get(resourceRoute, { path: { resourceId: id }, signal })).displayName
        case 'dashboard':
          return (await api.get('/v1/dashboards/{dashboardId}', { path: { dashboardId: id }, signal }))
            .displayName
        case 'firmware_release':
          return (await api.get('/v1/firmware/releases/{releaseId}', { path: { releaseId: id }, signal }))
            .displayName
        case 'simulation':
          return (await api.get('/v1/simulations/{simulationId}', { path: { simulationId: id }, signal }))
            .displayName
        default:
          return id
      }
    },
    staleTime: 60_000,
    retry: false,
  })
  return data ?? id
}
