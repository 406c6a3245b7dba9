import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { markOutdated } from '../../parts/outdated-list.ts'
import { Failed, Loading } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Assets.module.css'
import type { Place } from './place.ts'

interface Props {
  search: string
  /** Whether another search follows, so that the places will change. */
  isTyping: boolean
  hasAssets: boolean
  onSelect: (place: Place, name: string) => void
}

const MOST = 30

/** Results of a search: nodes, and assets if `hasAssets` is true. */
export function FoundPlaces({ search, isTyping, hasAssets, onSelect }: Props) {
  const words = useWords('assets')
  const api = useApi()
  const found = useQuery({
    queryKey: ['found-places', search, hasAssets],
    queryFn: async ({ signal }) => {
      const options = { query: { limit: MOST, search }, signal: withTimeout(signal) }
      const [nodes, assets] = await Promise.all([
        api.get('/v1/tree/nodes', options),
        hasAssets ? api.get('/v1/assets', options) : [],
      ])
      return [
        ...nodes.map(({ id, displayName }) => ({ type: 'node' as const, id, displayName })),
        ...assets.map(({ id, displayName }) => ({ type: 'asset' as const, id, displayName })),
      ]
    },
    placeholderData: keepPreviousData,
  })
  if (found.isPending) return <Loading rows={4} />
  if (found.data === undefined) return <Failed error={found.error} onRetry={() => void found.refetch()} />
  if (found.data.length === 0) return <p className={styles.note}>{words.nothingFound}</p>
  return (
    <ul {...markOutdated(isTyping || found.isPlaceholderData, styles.found)} aria-label={words.found}>
      {found.data.map(({ type, id, displayName }) => (
        <li key={`${type} ${id}`}>
          <button
            type="button"
            className={styles.foundEntry}
            title={displayName}
            onClick={() => onSelect({ type, id }, displayName)}
          >
            <Icon name={type === 'node' ? 'node' : 'assets'} />
            <span className={styles.entryName}>
              <bdi>{displayName}</bdi>
            </span>
          </button>
        </li>
      ))}
      {found.data.length >= MOST && <li className={styles.note}>{words.foundMore}</li>}
    </ul>
  )
}
