import type { Gangway } from '@gangway/client'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { useUser } from '../../session/SessionProvider.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Access.module.css'
import { iconOf, isListed, type ListedType, type ObjectRef, readObject } from './objects.ts'

const KEPT_MS = 300_000
/** Each name is a request; further users are shown by their ids. */
const MOST_NAMED = 30

/** The name of an object by its id; each table cell reads its own, and only those on the screen are rendered. */
export function useObjectName({ type, id }: ObjectRef) {
  const api = useApi()
  return useQuery(nameQuery(api, { type, id }))
}

/** The names of users by their ids, for a menu; users whom the caller may not view are left out. */
export function useUserNames(ids: string[]): ReadonlyMap<string, string> {
  const api = useApi()
  const unique = [...new Set(ids)].filter((id) => id !== '').slice(0, MOST_NAMED)
  return useQueries({
    queries: unique.map((id) => nameQuery(api, { type: 'user', id })),
    combine: (results) =>
      new Map(results.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data.name] as const]))),
  })
}

const nameQuery = (api: Gangway, { type, id }: ObjectRef) => ({
  queryKey: ['object-name', type, id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    readObject(api, { type: type as ListedType, id }, withTimeout(signal)),
  enabled: isListed(type) && id !== '',
  staleTime: KEPT_MS,
  retry: false as const,
})

/** An object with its icon and name, as a link where it has a page. One that the user may not view is shown by its id. */
export function ObjectName({ type, id, withType = false }: ObjectRef & { withType?: boolean }) {
  const words = useWords('access')
  const user = useUser()
  const { data } = useObjectName({ type, id })
  const isSelf = type === 'user' && id === user.id
  const name = data?.name ?? id
  return (
    <span className={styles.object}>
      <Icon name={iconOf(type)} size={14} />
      {withType && <span className={styles.note}>{words.types[type] ?? type}</span>}
      {data?.link === undefined ? (
        <span className={styles.name} title={name}>
          <bdi>{name}</bdi>
        </span>
      ) : (
        <PageAnchor link={data.link} className={styles.name} title={name}>
          <bdi>{name}</bdi>
        </PageAnchor>
      )}
      {isSelf && <span className={styles.note}>({words.take.you})</span>}
    </span>
  )
}
