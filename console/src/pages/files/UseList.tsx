import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { links, type PageLink } from '../../links.ts'
import { LongList } from '../../parts/LongList.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Files.module.css'
import { resourceRoute } from './resource.ts'
import type { Use } from './use-uses.ts'

const STEP = 20

/** A use whose object the reader may view. */
type NamedUse = Use & { id: string }

/** What uses a resource, each with its kind and its page; then how much of each kind the reader may not view. */
export function UseList({ uses }: { uses: Use[] }) {
  const words = useWords('files')
  const format = useFormat()
  const named = uses.filter((use): use is NamedUse => use.id !== null)
  const hidden = uses.filter(({ id }) => id === null)
  const kinds = [...new Set(hidden.map(({ type }) => type))]
  return (
    <>
      {named.length > 0 && (
        <LongList
          items={named}
          step={STEP}
          className={styles.uses}
          itemKey={({ type, id }) => `${type} ${id}`}
          render={(use) => <UseEntry use={use} />}
        />
      )}
      {kinds.map((kind) => (
        <p key={kind} className={styles.quiet}>
          {words.notVisible(
            words.useKinds[kind] ?? kind,
            format.number(hidden.filter(({ type }) => type === kind).length),
          )}
        </p>
      ))}
    </>
  )
}

function UseEntry({ use }: { use: NamedUse }) {
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

function findLink({ type, id }: NamedUse): PageLink | undefined {
  if (type === 'theme') return links.file(id)
  return type === 'dashboard' ? links.dashboard(id) : undefined
}

/** The name of what uses the resource; its id until that is known. */
function useUseName({ type, id }: NamedUse): string {
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
