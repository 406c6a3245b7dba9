import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { markOutdated } from '../../parts/outdated-list.ts'
import { Refusal } from '../../parts/Refusal.tsx'
import { Loading } from '../../parts/State.tsx'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { listOwners, type Owner, type OwnerList } from './find-owners.ts'
import type { Signal } from './signal.ts'
import { SignalsOfOwner } from './SignalsOfOwner.tsx'
import styles from './Explore.module.css'

interface Props {
  chosen: Signal[]
  onToggle: (signal: Signal) => void
}

interface EntriesProps extends Props {
  list: OwnerList
  empty?: string
  /** Whether another search follows, so that the entries will change. */
  isTyping?: boolean
}

/** Entries of one list, which is loaded page by page. Contents of an entry are loaded when it is opened. */
export function OwnerEntries({ list, empty, isTyping = false, ...props }: EntriesProps) {
  const common = useWords('common')
  const api = useApi()
  const source = usePagedList<Owner>(['owner-list', list], (cursor, signal) =>
    listOwners(api, list, { cursor, signal: withTimeout(signal) }),
  )
  return (
    <>
      {source.rows.length > 0 && (
        <ul {...markOutdated(isTyping || source.isOutdated === true, styles.owners)}>
          {source.rows.map((owner) => (
            <OwnerEntry key={`${owner.kind} ${owner.id}`} owner={owner} {...props} />
          ))}
        </ul>
      )}
      {source.isLoading && <Loading rows={2} />}
      {source.error !== null && <Refusal error={source.error} />}
      {source.error !== null && (
        <button type="button" className={styles.further} onClick={source.refresh}>
          {common.retry}
        </button>
      )}
      {source.error === null && source.hasMore && (
        <button
          type="button"
          className={styles.further}
          aria-busy={source.isLoadingMore}
          onClick={source.loadMore}
        >
          {source.isLoadingMore ? common.loading : common.loadMore}
        </button>
      )}
      {!source.isLoading && source.error === null && source.rows.length === 0 && empty !== undefined && (
        <p className={styles.note}>{empty}</p>
      )}
    </>
  )
}

const icons = { node: 'node', asset: 'assets', client: 'devices' } as const

function OwnerEntry({ owner, ...props }: Props & { owner: Owner }) {
  const { id, kind, name } = owner
  const words = useWords('explore')
  const count = props.chosen.filter(({ ownerId }) => ownerId === id).length
  const [isOpen, setOpen] = useState(count > 0)
  return (
    <li>
      <button
        type="button"
        className={styles.owner}
        aria-expanded={isOpen}
        title={name}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'right'} size={12} />
        <Icon name={icons[kind]} />
        <bdi className={styles.ownerName}>{name}</bdi>
        {count > 0 && <span className={styles.count}>{count}</span>}
      </button>
      {isOpen && (
        <div className={styles.inside}>
          {kind !== 'node' && <SignalsOfOwner ownerId={id} {...props} />}
          {kind !== 'client' && owner.hasChildren !== false && (
            <OwnerEntries
              {...props}
              list={{ kind: 'inside', parentType: kind, parentId: id }}
              {...(kind === 'node' && { empty: words.nothingInside })}
            />
          )}
        </div>
      )}
    </li>
  )
}
